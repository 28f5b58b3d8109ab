import TestSupport
import Testing

/// The checker of histories, on histories that do hold each anomaly and on some that hold none.
@Suite struct ListCheckerTests {
  private typealias Operation = ListTransaction.Operation

  private func append(_ key: Int, _ value: Int) -> Operation { .append(key: key, value: value) }
  private func read(_ key: Int, _ values: Int...) -> Operation { .read(key: key, values: values) }
  private func anomalies(_ transactions: ListTransaction...) -> Set<Anomaly> {
    ListChecker(transactions).anomalies
  }

  @Test func `a serial history holds none`() {
    #expect(
      anomalies(
        ListTransaction([append(1, 10), append(2, 20)]), ListTransaction([read(1, 10), append(1, 11)]),
        ListTransaction([append(9, 90)], .aborted), ListTransaction([read(9)]),
        ListTransaction([read(2, 20), read(1, 10, 11), append(1, 12), read(1, 10, 11, 12)]),
        ListTransaction([read(1, 10, 11, 12)])
      ).isEmpty)
    #expect(anomalies().isEmpty)
  }

  @Test func `G0: writes of two transactions in different orders`() {
    #expect(
      anomalies(
        ListTransaction([append(1, 10), append(2, 20)]), ListTransaction([append(1, 11), append(2, 21)]),
        ListTransaction([read(1, 10, 11)]), ListTransaction([read(2, 21, 20)])
      ).contains(.g0))
  }

  @Test func `G1a: a value of an aborted transaction was read`() {
    #expect(
      anomalies(ListTransaction([append(1, 10)], .aborted), ListTransaction([read(1, 10)])) == [.g1a])
  }

  @Test func `G1b: half of what a transaction appended was read`() {
    #expect(
      anomalies(
        ListTransaction([append(1, 10), append(1, 11)]), ListTransaction([read(1, 10)]),
        ListTransaction([read(1, 10, 11)])
      ).contains(.g1b))
  }

  @Test func `G1c: each of two transactions read what the other wrote`() {
    #expect(
      anomalies(
        ListTransaction([append(1, 10), read(2, 20)]), ListTransaction([append(2, 20), read(1, 10)])) == [
          .g1c
        ])
  }

  @Test func `G-single: a transaction read one list before and another after somebody's writes`() {
    #expect(
      anomalies(
        ListTransaction([read(1), read(2, 20)]), ListTransaction([append(1, 10), append(2, 20)]),
        ListTransaction([read(1, 10)])) == [.gSingle])
  }

  @Test func `P4, a lost update, is one, too`() {
    #expect(
      anomalies(
        ListTransaction([read(1), append(1, 10)]), ListTransaction([read(1), append(1, 11)]),
        ListTransaction([read(1, 10, 11)])) == [.gSingle])
  }

  @Test func `G2: two transactions each read what the other then wrote`() {
    #expect(
      anomalies(
        ListTransaction([read(1), append(2, 20)]), ListTransaction([read(2), append(1, 10)]),
        ListTransaction([read(1, 10), read(2, 20)])) == [.g2])
  }

  @Test func `reads of which neither begins with the other, and values out of nowhere`() {
    #expect(
      anomalies(
        ListTransaction([append(1, 10)]), ListTransaction([append(1, 11)]),
        ListTransaction([read(1, 10, 11)]),
        ListTransaction([read(1, 11)])
      ).contains(.incompatible))
    #expect(anomalies(ListTransaction([read(1, 99)])).contains(.incompatible))
    #expect(
      anomalies(ListTransaction([append(1, 10)]), ListTransaction([read(1, 10, 10)])).contains(.incompatible))
  }

  @Test func `a transaction that does not see its own appends`() {
    #expect(anomalies(ListTransaction([append(1, 10), read(1)])).contains(.inner))
    #expect(
      anomalies(ListTransaction([append(3, 30)]), ListTransaction([read(3), read(3, 30)])).contains(.inner))
  }

  @Test func `one that returned before another began, and did not see it, is no serial order in time`() {
    let late = ListTransaction([append(1, 10)], interval: 0...1)
    #expect(
      anomalies(late, ListTransaction([read(1)], interval: 2...3), ListTransaction([read(1, 10)])) == [
        .gSingle
      ])
    #expect(
      anomalies(late, ListTransaction([read(1)], interval: 1...3), ListTransaction([read(1, 10)])).isEmpty)
  }
}
