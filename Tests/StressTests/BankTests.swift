import LiveStore
import Synchronization
import TestSupport
import Testing

/// Money moves between accounts while everything else runs: every reader sees the same sum.
///
/// `LIVESTORE_STRESS_SECONDS` sets how long the suite takes; it is short unless set, but long enough for each
/// of those who take part to have done something.
@Suite(.serialized, .timeLimit(.minutes(10))) struct BankTests {
  private static let duration = Duration.seconds(Environment.stressSeconds / 2)

  @Test func `every snapshot and every event has the same sum, and events follow from one another`()
    async throws
  {
    let bank = try await Bank()
    await withTaskGroup(of: Void.self) { followers in
      for number in 0..<2 { followers.addTask { await bank.followByStream(number) } }
      followers.addTask { await bank.followCommits() }
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<2 {
          group.addTask { await bank.writeOnThread(seed: UInt64(number)) }
          group.addTask { await bank.writeInTask(seed: UInt64(number + 10)) }
          group.addTask { await bank.cancelWrites(seed: UInt64(number + 20)) }
          group.addTask { await bank.followByTokens(seed: UInt64(number + 30)) }
        }
        group.addTask { await bank.read() }
        group.addTask { await bank.stop(after: Self.duration) }
      }
      // Without writers there may be no event for which they wait.
      followers.cancelAll()
    }
    try await bank.store.settled()
    #expect(bank.problems == [])
    #expect(bank.store.version.number == UInt64(bank.commits) + 1, "no commit was lost or doubled")
    #expect(await isReached { bank.store.metrics.observers == 0 })
    #expect(bank.sum(bank.store.snapshot().fetch(Account.all)) == Bank.total)
  }

  @Test func `closing a store amid transfers ends every task`() async throws {
    let clock = ContinuousClock()
    let end = clock.now + Self.duration
    repeat {
      let bank = try await Bank()
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await bank.writeInTask(seed: 1) }
        group.addTask { await bank.writeOnThread(seed: 2) }
        group.addTask { await bank.followByStream(0) }
        group.addTask { await bank.followByStream(1) }
        group.addTask { await bank.followCommits() }
        group.addTask { await bank.close(afterCommits: 20) }
      }
      #expect(bank.problems == [])
      #expect(bank.sum(bank.store.snapshot().fetch(Account.all)) == Bank.total)
      await #expect(throws: StoreError.self) { try await bank.store.write { _ in } }
    } while clock.now < end
  }
}
