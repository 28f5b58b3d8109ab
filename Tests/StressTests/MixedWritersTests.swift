import LiveStore
import TestSupport
import Testing

/// Threads, tasks and optimistic transactions write together, and readers keep old versions to the end.
@Suite(.serialized, .timeLimit(.minutes(10))) struct MixedWritersTests {
  /// An old version, and what was read of it when it was the newest.
  private struct Held {
    let snapshot: Snapshot
    let purses: [Purse]
    let byBalance: [Int]
    let tallies: [Int]

    init(_ snapshot: Snapshot) {
      self.snapshot = snapshot
      purses = Array(snapshot.fetch(Purse.all))
      byBalance = snapshot.fetch(Purse.sorted(by: \.balance)).map(\.id)
      tallies = snapshot.fetch(Tally.all).map(\.count)
    }

    func breach() throws -> String? {
      let now = Held(snapshot)
      if now.purses != purses || now.byBalance != byBalance || now.tallies != tallies {
        return "version \(snapshot.version) has changed"
      }
      return try snapshot.breachOfTables()
    }
  }

  @Test func `no update of any way to write is lost, and old versions stay as they were`() async throws {
    try await withWatchdog("writers of three kinds", seconds: 1_100) {
      let store = try await Transfers.open()
      let deadline = Deadline(share: 0.3)
      let failures = Failures()
      async let kept = withThrowingTaskGroup(of: (WriteMode, Int).self) { group in
        for (number, mode) in (WriteMode.allCases + WriteMode.allCases).enumerated() {
          group.addTask {
            let kept = try await writeRepeatedly(
              store, mode, seed: UInt64(number), while: { !deadline.isOver }
            ) {
              tx, random in
              try Transfers.transfer(tx, &random)
              try tx.update(Tally.self, number % 3) { $0.count += 1 }
              return number % 3
            }
            return (mode, kept.count)
          }
        }
        return try await group.reduce(into: [WriteMode: Int]()) { $0[$1.0, default: 0] += $1.1 }
      }
      let readers = (0..<2).map { number in
        Task.detached {
          var random = SplitMix64(seed: UInt64(number))
          var held: [Held] = []
          repeat {
            let next = Held(store.snapshot())
            failures.check(next.purses.reduce(0) { $0 + $1.balance } == Transfers.total, "sum")
            // Of all versions seen, thirty, the first among them.
            if held.count < 30 { held.append(next) } else { held[random.int(1...29)] = next }
            await Task.yield()
          } while !deadline.isOver
          return held
        }
      }
      let counts = try await kept
      for reader in readers {
        for held in await reader.value {
          if let breach = try held.breach() { failures.check(false, breach) }
        }
      }
      #expect(failures.all == [])
      let tallies = store.snapshot().fetch(Tally.all).map(\.count).prefix(3)
      #expect(Array(tallies) == [counts[.sync], counts[.async], counts[.optimistic]].map { $0 ?? 0 })
      #expect(store.version.number == UInt64(counts.values.reduce(1, +)))
      #expect((counts[.sync] ?? 0) > 0 && (counts[.async] ?? 0) > 0, "\(counts)")
    }
  }

  /// Cancelled while it waits for the lock, inside its body, at its commit, in `next()`, in `settled()`; the
  /// transactions that report a commit are those that were.
  @Test func `a write that is cancelled at any await leaves the write lock free and no trace`() async throws {
    try await withWatchdog("cancellation everywhere", seconds: 1_100) {
      let store = try await Transfers.open()
      let deadline = Deadline(share: 0.3)
      let failures = Failures()
      let busy = Worker {
        repeat {
          try store.write { tx in try tx.update(Tally.self, 3) { $0.count += 1 } }
        } while !deadline.isOver
      }
      var kept = [0, 0]
      var random = SplitMix64(seed: 1)
      repeat {
        let waits = Recorder<Void>()
        let writes = (0..<4).map { _ in
          Task.detached { try await store.write { tx in try tx.update(Tally.self, 0) { $0.count += 1 } } }
        }
        let transactions = (0..<4).map { number in
          Task.detached {
            try await store.transaction { tx in
              try tx.update(Claim.self, number) { $0.seat = ($0.seat ?? number * 1_000_000) + 1 }
              try tx.update(Tally.self, 1) { $0.count += 1 }
              for _ in 0..<number {
                await Task.yield()
                try Task.checkCancellation()
              }
              waits.append(())
            }
          }
        }
        let loops = [
          Task.detached { for await _ in store.changes(of: Purse.sorted(by: \.balance)) {} },
          Task.detached {
            for await _ in store.changes(of: Tally.all.count, Tally.all, Tally.all.grouped(by: \.count).count)
            {}
          },
          Task.detached { for await _ in store.changes(of: Tally.all, mode: .everyCommit) {} },
          Task.detached {
            do { for try await _ in store.values(of: Tally.all.sectioned(by: \.count)) {} } catch {}
          },
          Task.detached { do { for try await _ in store.commits(after: store.version) {} } catch {} },
        ]
        let settled = (0..<2).map { _ in Task.detached { try await store.settled() } }
        for _ in 0..<random.int(0...20) { await Task.yield() }
        let all = writes.indices.map { writes[$0] }
        for task in all.shuffled(using: &random).dropFirst() { task.cancel() }
        for task in transactions.shuffled(using: &random).dropFirst() { task.cancel() }
        for task in loops.shuffled(using: &random) { task.cancel() }
        for task in settled { task.cancel() }
        for task in writes { kept[0] += try await Self.isKept(task.result) ? 1 : 0 }
        for task in transactions { kept[1] += try await Self.isKept(task.result) ? 1 : 0 }
        for task in loops { await task.value }
        for task in settled { _ = try await Self.isKept(task.result) }
        let tallies = store.snapshot().fetch(Tally.all).map(\.count)
        failures.check(tallies[0] == kept[0] && tallies[1] == kept[1], "\(tallies), not \(kept)")
      } while !deadline.isOver
      try await busy.value()
      #expect(failures.all == [])
      try await store.settled()
      #expect(await isReached { store.metrics.observers == 0 })
    }
  }

  private static func isKept<Value>(_ result: Result<Value, any Error>) throws -> Bool {
    do {
      _ = try result.get()
      return true
    } catch is CancellationError {
      return false
    } catch StoreError.conflict {
      return false
    }
  }
}
