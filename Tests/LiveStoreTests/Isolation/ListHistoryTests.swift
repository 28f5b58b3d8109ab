import LiveStore
import Synchronization
import TestSupport
import Testing

/// Concurrent histories of appends to lists, checked for anomalies; `LIVESTORE_SEED` and `LIVESTORE_SEEDS` choose them.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct `Concurrent histories` {
  struct Line: Entity {
    let id: Int
    var values: [Int]
    static let schema = Schema<Line> { \.values }
  }

  /// A clock that all clients share, and the next value to append.
  private final class Clock: Sendable {
    private let state = Mutex<(time: UInt64, value: Int)>((0, 0))
    func tick() -> UInt64 {
      state.withLock {
        $0.time += 1
        return $0.time
      }
    }
    func value() -> Int {
      state.withLock {
        $0.value += 1
        return $0.value
      }
    }
  }

  struct Abort: Error {}

  /// What a transaction is to do.
  private enum Plan {
    case append(Int)
    case read(Int)
    case abort
  }

  private static func plan(_ random: inout SplitMix64) -> [Plan] {
    var plan = (0..<random.int(1...5)).map { _ -> Plan in
      let key = random.int(0...3)
      return random.chance(1, in: 2) ? .append(key) : .read(key)
    }
    if random.chance(1, in: 8) { plan.append(.abort) }
    return plan
  }

  private static func perform(
    _ plan: Plan, _ tx: borrowing WriteTransaction, _ clock: Clock, _ done: inout [ListTransaction.Operation]
  ) throws {
    switch plan {
    case .append(let key):
      let value = clock.value()
      var line = tx[Line.self, key] ?? Line(id: key, values: [])
      line.values.append(value)
      try tx.upsert(line)
      done.append(.append(key: key, value: value))
    case .read(let key):
      done.append(.read(key: key, values: tx[Line.self, key]?.values ?? []))
    case .abort: throw Abort()
    }
  }

  /// Runs one transaction and returns what it saw.
  private static func run(
    _ mode: WriteMode, _ plan: [Plan], _ store: Store, _ clock: Clock
  ) async throws -> [ListTransaction] {
    var runs: [[ListTransaction.Operation]] = []
    let start = clock.tick()
    do {
      switch mode {
      case .optimistic:
        try await store.transaction(retries: .max) { tx in
          runs.append([])
          for step in plan {
            try perform(step, tx, clock, &runs[runs.count - 1])
            await Task.yield()
          }
        }
      case .async:
        runs.append([])
        try await store.write { tx in for step in plan { try perform(step, tx, clock, &runs[0]) } }
      case .sync:
        let done = try await Worker {
          var done: [ListTransaction.Operation] = []
          // What an aborted body did is recorded, too.
          let isAborted = try store.writeOrAbort { tx in
            for step in plan { try perform(step, tx, clock, &done) }
          }
          return (done, isAborted)
        }.value()
        runs.append(done.0)
        if done.1 { throw Abort() }
      }
    } catch is Abort {
      return runs.map { ListTransaction($0, .aborted) }
    }
    let end = clock.tick()
    return runs.dropLast().map { ListTransaction($0, .aborted) }
      + [ListTransaction(runs[runs.count - 1], interval: start...end)]
  }

  @Test(arguments: WriteMode.allCases + [nil])
  func `no history of many clients holds an anomaly`(_ mode: WriteMode?) async throws {
    for seed in Seeds.forSuite(6) {
      let store = try Store(Line.self)
      let clock = Clock()
      let history = try await withThrowingTaskGroup(of: [ListTransaction].self) { group in
        for client in 0..<4 {
          group.addTask {
            var random = SplitMix64(seed: seed &* 31 &+ UInt64(client))
            var history: [ListTransaction] = []
            for _ in 0..<20 {
              let chosen = mode ?? WriteMode.allCases[random.int(0...2)]
              history += try await Self.run(chosen, Self.plan(&random), store, clock)
              if random.chance(1, in: 4) { history.append(Self.look(store, clock)) }
            }
            return history
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(ListChecker(history).anomalies.isEmpty, "seed \(seed)")
      #expect(history.contains { $0.outcome == .committed })
    }
  }

  /// A snapshot is a transaction that writes nothing.
  private static func look(_ store: Store, _ clock: Clock) -> ListTransaction {
    let start = clock.tick()
    let snapshot = store.snapshot()
    let reads = (0...3).map {
      ListTransaction.Operation.read(key: $0, values: snapshot[Line.self, $0]?.values ?? [])
    }
    return ListTransaction(reads, interval: start...clock.tick())
  }
}

extension Store {
  /// A blocking write; whether its body aborted.
  fileprivate func writeOrAbort(_ body: (inout WriteTransaction) throws -> Void) throws -> Bool {
    do {
      try write(body)
      return false
    } catch is `Concurrent histories`.Abort {
      return true
    }
  }
}
