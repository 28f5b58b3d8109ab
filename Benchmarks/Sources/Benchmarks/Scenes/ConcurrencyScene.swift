import Foundation
import HashTreeCollections
import LiveStore
import Synchronization

/// One thread writes without a pause, another reads: snapshots with ten lookups each.
enum ConcurrencyScene {
  @Sendable static func run(_ session: Session) async throws {
    let seconds = session.isQuick ? 0.1 : 0.5
    for count in session.rows([10_000, 1_000_000]) {
      let items = Item.many(count)
      let store = try fill(items)
      let locked = Mutex(Targets.filledDictionary(items))
      let tree = Mutex(TreeDictionary(uniqueKeysWithValues: items.map { ($0.id, $0) }))
      let sqlite = try SQLite(items)
      let stored = Side(
        "LiveStore", write: { id, score in try setScore(store, id, score) },
        read: { ids in
          let snapshot = store.snapshot()
          for id in ids { blackHole(snapshot[Item.self, id]?.score) }
        })
      let peers = [
        Side(
          "Dictionary behind a lock", write: { id, score in locked.withLock { $0[id]?.score = score } },
          read: { ids in locked.withLock { items in for id in ids { blackHole(items[id]?.score) } } }),
        Side(
          "TreeDictionary behind a lock", write: { id, score in tree.withLock { $0[id]?.score = score } },
          read: { ids in
            let copy = tree.withLock { $0 }
            for id in ids { blackHole(copy[id]?.score) }
          }),
        Side(
          "GRDB", write: { id, score in try sqlite.setScore(id, score) },
          read: { ids in blackHole(try sqlite.lookups(Array(ids))) }),
      ]
      try await compare(session, count, [stored] + peers, seconds)
      try await snapshots(session, store, count, seconds)
    }
  }

  private static func compare(
    _ session: Session, _ count: Int, _ sides: [Side], _ seconds: Double
  ) async throws {
    var reads = sides.map { (name: $0.name, values: [Double]()) }
    var writes = reads
    for _ in 0..<session.runs {
      for (index, side) in sides.enumerated() {
        let (read, written) = try await side.run(count, seconds)
        reads[index].values.append(seconds * 1e9 / Double(read))
        writes[index].values.append(seconds * 1e9 / Double(written))
      }
    }
    session.record("reading ten rows beside a writer", rows: count, samples: reads)
    session.record("an update beside a reader", rows: count, samples: writes)
  }

  /// Percentiles of taking a snapshot while a writer runs flat out.
  private static func snapshots(_ session: Session, _ store: Store, _ count: Int, _ seconds: Double)
    async throws
  {
    var percentiles: [(name: String, values: [Double])] = [
      ("LiveStore, half", []), ("99%", []), ("99.9%", []),
    ]
    for _ in 0..<session.runs {
      let times = Mutex<[Double]>([])
      let side = Side(
        "LiveStore", write: { id, score in try setScore(store, id, score) },
        read: { _ in
          let start = ContinuousClock.now
          blackHole(store.snapshot())
          let time = (ContinuousClock.now - start) / .nanoseconds(1)
          times.withLock { $0.append(time) }
        })
      _ = try await side.run(count, seconds)
      let sorted = times.withLock { $0.sorted() }
      for (index, fraction) in [0.5, 0.99, 0.999].enumerated() {
        percentiles[index].values.append(Spread.quantile(fraction, of: sorted))
      }
    }
    session.record(
      "snapshot beside a writer, clock included", rows: count, isComparison: false, samples: percentiles)
  }
}

/// A store with one way to write and one to read.
private struct Side {
  let name: String
  private let write: @Sendable (Int, Int) throws -> Void
  private let read: @Sendable (ArraySlice<Int>) throws -> Void

  init(
    _ name: String, write: @escaping @Sendable (Int, Int) throws -> Void,
    read: @escaping @Sendable (ArraySlice<Int>) throws -> Void
  ) {
    (self.name, self.write, self.read) = (name, write, read)
  }

  /// How often the reader and the writer got through, on a thread each.
  func run(_ count: Int, _ seconds: Double) async throws -> (reads: Int, writes: Int) {
    let ids = randomNumbers(10_000, below: count, seed: 41)
    let end = ContinuousClock.now + .seconds(seconds)
    let (read, write) = (read, write)
    async let reads = repeated(until: end) { round in
      try read(ids[round * 10 % 9_990..<round * 10 % 9_990 + 10])
    }
    async let writes = repeated(until: end) { round in try write(ids[round % 10_000], round) }
    return try await (reads, writes)
  }

  private func repeated(
    until end: ContinuousClock.Instant, _ body: @escaping @Sendable (Int) throws -> Void
  ) async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        var rounds = 0
        do {
          while ContinuousClock.now < end {
            try body(rounds)
            rounds += 1
          }
          continuation.resume(returning: rounds)
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }
}
