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

  @Test func `the list checker finds no anomaly in a serial history`() {
    #expect(
      anomalies(
        ListTransaction([append(1, 10), append(2, 20)]), ListTransaction([read(1, 10), append(1, 11)]),
        ListTransaction([append(9, 90)], .aborted), ListTransaction([read(9)]),
        ListTransaction([read(2, 20), read(1, 10, 11), append(1, 12), read(1, 10, 11, 12)]),
        ListTransaction([read(1, 10, 11, 12)])
      ).isEmpty)
    #expect(anomalies().isEmpty)
  }

  @Test func `the list checker finds G0: writes of two transactions in different orders`() {
    #expect(
      anomalies(
        ListTransaction([append(1, 10), append(2, 20)]), ListTransaction([append(1, 11), append(2, 21)]),
        ListTransaction([read(1, 10, 11)]), ListTransaction([read(2, 21, 20)])
      ).contains(.g0))
  }

  @Test func `the list checker finds G1a: a value of an aborted transaction was read`() {
    #expect(
      anomalies(ListTransaction([append(1, 10)], .aborted), ListTransaction([read(1, 10)])) == [.g1a])
  }

  @Test func `the list checker finds G1b: half of what a transaction appended was read`() {
    #expect(
      anomalies(
        ListTransaction([append(1, 10), append(1, 11)]), ListTransaction([read(1, 10)]),
        ListTransaction([read(1, 10, 11)])
      ).contains(.g1b))
  }

  @Test func `the list checker finds G1c: each of two transactions read what the other wrote`() {
    #expect(
      anomalies(
        ListTransaction([append(1, 10), read(2, 20)]), ListTransaction([append(2, 20), read(1, 10)])) == [
          .g1c
        ])
  }

  @Test func `the list checker finds G-single: reads before and after another transaction's writes`() {
    #expect(
      anomalies(
        ListTransaction([read(1), read(2, 20)]), ListTransaction([append(1, 10), append(2, 20)]),
        ListTransaction([read(1, 10)])) == [.gSingle])
  }

  @Test func `the list checker finds P4, a lost update, as G-single`() {
    #expect(
      anomalies(
        ListTransaction([read(1), append(1, 10)]), ListTransaction([read(1), append(1, 11)]),
        ListTransaction([read(1, 10, 11)])) == [.gSingle])
  }

  @Test func `the list checker finds G2: two transactions each read what the other then wrote`() {
    #expect(
      anomalies(
        ListTransaction([read(1), append(2, 20)]), ListTransaction([read(2), append(1, 10)]),
        ListTransaction([read(1, 10), read(2, 20)])) == [.g2])
  }

  @Test func `the list checker finds reads of which neither begins with the other, and values never written`()
  {
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

  @Test func `the list checker finds a transaction that does not see its own appends`() {
    #expect(anomalies(ListTransaction([append(1, 10), read(1)])).contains(.inner))
    #expect(
      anomalies(ListTransaction([append(3, 30)]), ListTransaction([read(3), read(3, 30)])).contains(.inner))
  }

  @Test func `the list checker finds a read that misses a transaction that returned before it began`() {
    let late = ListTransaction([append(1, 10)], interval: 0...1)
    #expect(
      anomalies(late, ListTransaction([read(1)], interval: 2...3), ListTransaction([read(1, 10)])) == [
        .gSingle
      ])
    #expect(
      anomalies(late, ListTransaction([read(1)], interval: 1...3), ListTransaction([read(1, 10)])).isEmpty)
  }
}
