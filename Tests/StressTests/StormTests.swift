import LiveStore
import TestSupport
import Testing

/// Trees of objects that are deleted with all below them and rebuilt by several writers, while queries over their links
/// are observed in every way.
@Suite(.serialized, .timeLimit(.minutes(10))) struct StormTests {
  @Test func `cascades of several writers leave every table whole, and every event keeps the law`()
    async throws
  {
    try await withWatchdog("a storm of cascades", seconds: 1_100) {
      let store = try await Storm.open()
      let deadline = Deadline(share: 0.5)
      let failures = Failures()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, mode) in WriteMode.allCases.enumerated() {
          group.addTask {
            let kept = try await writeRepeatedly(
              store, mode, seed: UInt64(number), while: { !deadline.isOver }
            ) { tx, random in
              try Storm.rage(tx, &random)
              return true
            }
            failures.check(!kept.isEmpty || mode == .optimistic, "\(mode) wrote nothing")
          }
        }
        for number in 0..<2 {
          group.addTask {
            var random = SplitMix64(seed: UInt64(100 + number))
            repeat { try await StormWatch.round(store, &random, failures) } while !deadline.isOver
          }
        }
        group.addTask {
          repeat {
            if let breach = try Storm.breach(store.snapshot()) { failures.check(false, breach) }
            await Task.yield()
          } while !deadline.isOver
        }
        try await group.waitForAll()
      }
      #expect(failures.all == [])
      #expect(try Storm.breach(store.snapshot()) == nil)
      try await store.settled()
      #expect(await isReached { store.metrics.observers == 0 })
    }
  }

  @Test func `a store is closed in the middle of a storm`() async throws {
    try await withWatchdog("a storm that is cut off", seconds: 1_100) {
      let deadline = Deadline(share: 0.2)
      let failures = Failures()
      repeat {
        let store = try await Storm.open()
        await withTaskGroup(of: Void.self) { group in
          for (number, mode) in WriteMode.allCases.enumerated() {
            group.addTask {
              await Self.expectClosed(failures, "\(mode)") {
                let _: [Bool] = try await writeRepeatedly(store, mode, seed: UInt64(number), while: { true })
                {
                  try Storm.rage($0, &$1)
                  return nil
                }
              }
            }
          }
          for number in 0..<2 {
            group.addTask {
              var random = SplitMix64(seed: UInt64(number))
              await Self.expectClosed(failures, "observers") {
                while true { try await StormWatch.round(store, &random, failures) }
              }
            }
          }
          group.addTask {
            while store.version.number < 25 { await Task.yield() }
            store.close()
          }
        }
        if let breach = try Storm.breach(store.snapshot()) { failures.check(false, breach) }
      } while !deadline.isOver
      #expect(failures.all == [])
    }
  }

  private static func expectClosed(
    _ failures: Failures, _ who: String, _ body: () async throws -> Void
  ) async {
    do {
      try await body()
      failures.check(false, "\(who) ended")
    } catch StoreError.closed {
    } catch {
      failures.check(false, "\(who): \(error)")
    }
  }
}
