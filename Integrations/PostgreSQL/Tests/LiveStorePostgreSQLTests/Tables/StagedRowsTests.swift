import Dispatch
import Testing

import LiveStorePostgreSQL

@Suite(.timeLimit(.minutes(20))) struct `Rows that are inserted while they come` {
  private struct Broken: Error {}

  /// What another thread takes, until the rows end.
  private func taken(_ rows: StagedRows<Int>) async -> [Int] {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "taken").async {
        var taken: [Int] = []
        var iterator = rows.sequence(expecting: 1_000_000).makeIterator()
        while let row = iterator.next() { taken.append(row) }
        // It does not wait for what comes after the end.
        if let row = iterator.next() { taken.append(row) }
        continuation.resume(returning: taken)
      }
    }
  }

  @Test func `they are taken in order, whether they came before or come later`() async {
    let rows = StagedRows<Int>()
    rows.append([1, 2])
    rows.append([])
    rows.append([3])
    async let taken = taken(rows)
    for piece in 1...10_000 {
      if piece.isMultiple(of: 100) { await Task.yield() }
      rows.append((0..<piece % 5).map { piece * 10 + $0 })
    }
    rows.end(nil)
    let all = [1, 2, 3] + (1...10_000).flatMap { piece in (0..<piece % 5).map { piece * 10 + $0 } }
    #expect(await taken == all)
    #expect(rows.failure == nil)
  }

  @Test func `those that have not been taken when the copy fails are left`() async {
    let rows = StagedRows<Int>()
    rows.append([1, 2])
    rows.end(Broken())
    #expect(await taken(rows).isEmpty)
    #expect(rows.failure is Broken)
  }

  @Test func `the end is seen where nothing came`() async {
    let rows = StagedRows<Int>()
    rows.end(nil)
    #expect(await taken(rows).isEmpty)
  }
}
