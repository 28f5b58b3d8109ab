import Dispatch
import Foundation
import LiveStore
import Synchronization
import TestSupport
import Testing

/// Runs everything side by side for a while and checks what must always hold.
///
/// Lengths come from `LIVESTORE_STRESS_SECONDS`, the seconds that all of it takes together.
@Suite(.serialized, .timeLimit(.minutes(30))) struct `Under stress` {
  private let failures = Failures()

  /// Threads and tasks that transfer money until the deadline.
  private func writers(_ store: Store, _ deadline: Deadline) -> (
    threads: [Worker<Int>], tasks: [Task<Int, any Error>]
  ) {
    let threads = (0..<2).map { number in
      Worker {
        var random = SplitMix64(seed: UInt64(number))
        var writes = 0
        repeat {
          try store.write(origin: number == 0 ? "ui" : nil) { tx in
            try Transfers.transfer(tx, &random)
            try tx.update(Tally.self, number) { $0.count += 1 }
          }
          writes += 1
        } while !deadline.isOver
        return writes
      }
    }
    let tasks = (2..<4).map { number in
      Task.detached {
        var random = SplitMix64(seed: UInt64(number))
        var writes = 0
        repeat {
          try await store.write { tx in
            try Transfers.transfer(tx, &random)
            try tx.update(Tally.self, number) { $0.count += 1 }
          }
          writes += 1
        } while !deadline.isOver
        return writes
      }
    }
    return (threads, tasks)
  }

  /// An old version, and what was read of it when it was the newest.
  private struct Kept: Sendable {
    let snapshot: Snapshot
    let accounts: [Purse]

    func check(_ failures: Failures) {
      failures.check(
        snapshot.fetch(Purse.all).elementsEqual(accounts), "version \(snapshot.version) has changed")
    }
  }

  @Test func `snapshots are consistent and stay as they were; no update is lost`() async throws {
    let store = try await Transfers.open()
    let deadline = Deadline(share: 0.2)
    let failures = failures
    let writers = writers(store, deadline)
    let readers = (0..<2).map { number in
      Worker { () -> [Kept] in
        var random = SplitMix64(seed: UInt64(100 + number))
        var held: [Kept] = []
        repeat {
          let snapshot = store.snapshot()
          let accounts = Array(snapshot.fetch(Purse.all))
          failures.check(
            accounts.reduce(0) { $0 + $1.balance } == Transfers.total, "sum at \(snapshot.version)")
          let groups = (0..<4).map { group in snapshot.count(Purse.where { $0.group == group }) }
          failures.check(
            groups.reduce(0, +) == Transfers.accounts, "groups at \(snapshot.version): \(groups)")
          let sorted = snapshot.fetch(Purse.sorted(by: \.balance))
          failures.check(
            zip(sorted, sorted.dropFirst()).allSatisfy { $0.balance <= $1.balance },
            "order at \(snapshot.version)")
          held.append(Kept(snapshot: snapshot, accounts: accounts))
          if held.count > 10 {
            let old = held.remove(at: Int.random(in: 0..<held.count, using: &random))
            old.check(failures)
            failures.check(old.snapshot.version <= snapshot.version, "a snapshot went back")
          }
        } while !deadline.isOver
        return held
      }
    }
    var counts: [Int] = []
    for thread in writers.threads { counts.append(try await thread.value()) }
    for task in writers.tasks { counts.append(try await task.value) }
    for reader in readers {
      for old in try await reader.value() { old.check(failures) }
    }
    #expect(failures.all == [])
    #expect(store.snapshot().fetch(Tally.all).map(\.count) == counts)
    #expect(store.version.number == UInt64(counts.reduce(1, +)))
    #expect(counts.allSatisfy { $0 > 0 })
  }

  @Test func `observers of every kind start and end, and each event keeps the law`() async throws {
    let store = try await Transfers.open()
    let deadline = Deadline(share: 0.25)
    let failures = failures
    let writers = writers(store, deadline)
    let queue = DispatchQueue(label: "handlers")
    let churn = (0..<2).map { number in
      Task.detached {
        var random = SplitMix64(seed: UInt64(200 + number))
        var rounds = 0
        repeat {
          try await Self.observe(store, queue, &random, failures)
          rounds += 1
        } while !deadline.isOver
        return rounds
      }
    }
    for thread in writers.threads { _ = try await thread.value() }
    for task in writers.tasks { _ = try await task.value }
    for task in churn { #expect(try await task.value > 0) }
    #expect(failures.all == [])
    try await store.settled()
    #expect(await isReached { store.metrics.observers == 0 })
  }

  /// Observes a few queries in every way for a few events, and checks the law and the sum in each.
  private static func observe(
    _ store: Store, _ queue: DispatchQueue, _ random: inout SplitMix64, _ failures: Failures
  ) async throws {
    let queries = [
      Purse.all, Purse.sorted(by: \.balance, .descending), Purse.where { $0.group == 1 },
      Purse.where { $0.balance >= 1_000 }.sorted(by: \.group).sorted(by: \.balance),
      Purse.sorted(by: \.balance).limit(5), Purse.filter { $0.balance % 2 == 0 },
    ]
    let query = queries[Int.random(in: 0..<queries.count, using: &random)]
    let observers = (0..<5).map { CheckedObserver<Purse>(receivesAll: $0 != 3) }
    let received = Recorder<Void>()
    let hear: @Sendable (CheckedObserver<Purse>, CollectionChange<Purse>) -> Void = { observer, change in
      observer.receive(change)
      if let snapshot = change.results?.snapshot {
        failures.check(Transfers.sum(snapshot) == Transfers.total, "sum in an event of \(query)")
      }
      received.append(())
    }
    let tokens = [
      store.observe(query) { @Sendable in hear(observers[0], $0) },
      store.observe(queue: queue, query) { hear(observers[1], $0) },
      store.observe(query) { @MainActor in hear(observers[2], $0) },
      store.observe(query, excluding: ["ui"]) { @Sendable in hear(observers[3], $0) },
    ]
    let loop = Task.detached {
      for await change in store.changes(of: query, mode: .everyCommit) { hear(observers[4], change) }
    }
    // Its own transfers bring events, also when the other writers have ended.
    let many = Int.random(in: 1...25, using: &random)
    while received.count < many { try await store.write { tx in try Transfers.transfer(tx, &random) } }
    tokens[0].pause()
    let wasPaused = observers[0].eventCount
    let more = received.count + 3
    while received.count < more { try await store.write { tx in try Transfers.transfer(tx, &random) } }
    // One that was on its way when it was paused may have come; more may not.
    failures.check(observers[0].eventCount <= wasPaused + 1, "events while paused")
    tokens[0].resume()
    loop.cancel()
    await loop.value
    for token in tokens.shuffled(using: &random) { token.invalidate() }
    for (number, observer) in observers.enumerated() {
      failures.check(observer.breaches.isEmpty, "observer \(number) of \(query): \(observer.breaches)")
      if let error = observer.error {
        failures.check(
          number == 4 && error.code == StoreError.historyTruncated, "observer \(number): \(error)")
      }
    }
  }

  @Test func `counts, objects and groups follow without a gap, groups at one version`() async throws {
    let store = try await Transfers.open()
    let failures = failures
    let (inGroups, inValues, inCounts, inObjects) = (
      Recorder<Void>(), Recorder<Void>(), Recorder<Void>(), Recorder<Void>()
    )
    let inCommits = Recorder<Void>()
    let groups = Task.detached {
      var events = 0
      for await change in store.changes(
        of: Purse.where { $0.group == 0 }.count, Purse.where { $0.group != 0 }.count, Purse.all)
      {
        events += 1
        inGroups.append(())
        switch change {
        case .initial((let some, let others, let all)):
          failures.check(some + others == all.count, "\(some) and \(others) of \(all.count)")
          failures.check(Transfers.sum(all.snapshot) == Transfers.total, "sum at \(all.version)")
        case .update((let some, let others, let all)):
          let counts = (some.value ?? -1, others.value ?? -1, all.results?.count ?? -1)
          failures.check(counts.0 + counts.1 == counts.2, "\(counts)")
        case .error(let error): failures.check(false, "\(error)")
        }
      }
      return events
    }
    let counts = Task.detached {
      var last: Int?
      for await change in store.changes(of: Purse.where { $0.balance >= 1_000 }.count) {
        inCounts.append(())
        switch change {
        case .initial(let count): last = count
        case .change(let old, let new):
          failures.check(old == last && old != new, "count \(old) to \(new) after \(last ?? -1)")
          last = new
        case .error(let error): failures.check(false, "\(error)")
        }
      }
    }
    let objects = Task.detached {
      var last: Purse?
      for await change in store.changes(of: Purse.self, 3) {
        inObjects.append(())
        switch change {
        case .initial(let purse): last = purse
        case .change(let old, let new, let properties):
          failures.check(old == last && old != new && !properties.isEmpty, "\(old) to \(new) after its last")
          last = new
        case .inserted, .deleted: failures.check(false, "a purse is never gone in a version")
        case .error(let error): failures.check(false, "\(error)")
        }
      }
    }
    let values = Task.detached {
      for try await purses in store.values(of: Purse.sorted(by: \.balance)) {
        failures.check(purses.reduce(0) { $0 + $1.balance } == Transfers.total, "sum at \(purses.version)")
        inValues.append(())
      }
    }
    let first = store.version
    let commits = Task.detached {
      var start = first
      while !Task.isCancelled {
        do {
          for try await commit in store.commits(after: start) {
            failures.check(commit.version.number == start.number + 1, "\(commit.version) after \(start)")
            let change = commit.changes(of: Purse.self).reduce(0) {
              $0 + ($1.new?.balance ?? 0) - ($1.old?.balance ?? 0)
            }
            failures.check(change == 0, "\(commit) changes the sum by \(change)")
            start = commit.version
            inCommits.append(())
          }
        } catch let error as StoreError {
          failures.check(error.code == StoreError.historyTruncated, "\(error)")
          start = error.oldest ?? start
        }
      }
    }
    // Money moves when all are there, and they stay until they have seen it.
    for observer in [inGroups, inValues, inCounts, inObjects] { await observer.reached(1) }
    let deadline = Deadline(share: 0.1)
    let writers = writers(store, deadline)
    for thread in writers.threads { _ = try await thread.value() }
    for task in writers.tasks { _ = try await task.value }
    try await store.settled()
    for observer in [inGroups, inValues] { await observer.reached(2) }
    await inCommits.reached(1)
    for task in [counts, objects] { task.cancel() }
    groups.cancel()
    values.cancel()
    commits.cancel()
    #expect(await groups.value > 0)
    await counts.value
    await objects.value
    try await values.value
    try await commits.value
    #expect(failures.all == [])
    #expect(await isReached { store.metrics.observers == 0 })
  }

  @Test func `tokens invalidated from everywhere at once call no handler afterwards`() async throws {
    let store = try await Transfers.open()
    let deadline = Deadline(share: 0.1)
    let failures = failures
    let writers = writers(store, deadline)
    let queue = DispatchQueue(label: "handlers")
    repeat {
      // Its own handler, on its own queue: nothing may come after it.
      let shared = Shared()
      queue.sync {
        shared.keep(
          store.observe(queue: queue, Purse.all) { _ in
            failures.check(!shared.isDead, "a call after invalidation inside the handler")
            shared.kill()
          })
      }
      // Tokens that several threads and their own handlers invalidate.
      let others = (0..<4).map { _ in store.observe(Purse.sorted(by: \.balance)) { @Sendable _ in } }
      async let first: Void = { for token in others { token.invalidate() } }()
      async let second: Void = { for token in others.reversed() { token.invalidate() } }()
      let worker = Worker { for token in others { token.pause(); token.resume(); token.invalidate() } }
      _ = await (first, second)
      try await worker.value()
      try await store.settled()
      failures.check(shared.isDead, "a handler was never called")
    } while !deadline.isOver
    for thread in writers.threads { _ = try await thread.value() }
    for task in writers.tasks { _ = try await task.value }
    #expect(failures.all == [])
    #expect(await isReached { store.metrics.observers == 0 })
  }

  /// A token its handler invalidates.
  private final class Shared: Sendable {
    private let state = Mutex<(token: NotificationToken?, isDead: Bool)>((nil, false))
    var isDead: Bool { state.withLock { $0.isDead } }
    func keep(_ token: NotificationToken) { state.withLock { $0.token = token } }
    func kill() {
      let token = state.withLock { state in
        state.isDead = true
        return state.token
      }
      token?.invalidate()
    }
  }

  @Test func `a seat is claimed by one at most, and cancelled claims leave no trace`() async throws {
    let store = try await Transfers.open()
    let deadline = Deadline(share: 0.15)
    let failures = failures
    var claims = 0
    repeat {
      let results = await withTaskGroup(of: Bool?.self) { group in
        for person in 0..<8 {
          group.addTask {
            do {
              try await store.write { tx in _ = try tx.update(Claim.self, person) { $0.seat = 1 } }
              return true
            } catch StoreError.uniqueViolation {
              return false
            } catch is CancellationError {
              return nil
            } catch {
              failures.check(false, "\(error)")
              return false
            }
          }
        }
        if claims % 3 == 2 { group.cancelAll() }
        return await group.reduce(into: []) { $0.append($1) }
      }
      let winners = results.filter { $0 == true }.count
      let holders = store.snapshot().fetch(Claim.where { $0.seat == 1 })
      failures.check(winners <= 1 && holders.count == winners, "\(winners) winners, \(holders.count) holders")
      try await store.write { tx in _ = try tx.update(Claim.all) { $0.seat = nil } }
      claims += 1
      // The third is the first that is cancelled.
    } while claims < 3 || !deadline.isOver
    #expect(failures.all == [])
    #expect(claims > 0)
  }

  @Test func `writers and loops are cancelled in the middle of everything`() async throws {
    let store = try await Transfers.open()
    let deadline = Deadline(share: 0.1)
    var done = 0
    let busy = Worker {
      repeat {
        try store.write { tx in try tx.update(Tally.self, 0) { $0.count += 1 } }
      } while !deadline.isOver
    }
    repeat {
      let tasks = (0..<8).map { _ in
        Task.detached {
          try await store.write { tx in try tx.update(Tally.self, 1) { $0.count += 1 } }
          return true
        }
      }
      let loops = (0..<4).map { _ in
        Task.detached {
          for await _ in store.changes(of: Tally.all) {}
          for try await _ in store.values(of: Tally.all.count) {}
          for try await _ in store.commits(after: store.version) {}
        }
      }
      let waits = (0..<2).map { _ in Task.detached { try? await store.settled() } }
      for task in tasks.dropFirst(2) { task.cancel() }
      for task in tasks { if case .success = await task.result { done += 1 } }
      for loop in loops {
        loop.cancel()
        _ = await loop.result
      }
      for wait in waits {
        wait.cancel()
        await wait.value
      }
    } while !deadline.isOver
    try await busy.value()
    #expect(store.snapshot()[Tally.self, 1]?.count == done)
    try await store.settled()
    #expect(await isReached { store.metrics.observers == 0 })
  }

  @Test func `a store is closed amid writers, observers and loops`() async throws {
    let deadline = Deadline(share: 0.1)
    let failures = failures
    repeat {
      let store = try await Transfers.open()
      let started = Recorder<Void>()
      let threads = (0..<2).map { _ in
        Worker {
          var random = SplitMix64(seed: 1)
          while true {
            do {
              try store.write { tx in try Transfers.transfer(tx, &random) }
              started.append(())
            } catch StoreError.closed {
              return
            }
          }
        }
      }
      let tasks = (0..<2).map { _ in
        Task.detached {
          var random = SplitMix64(seed: 2)
          do {
            while true { try await store.write { tx in try Transfers.transfer(tx, &random) } }
          } catch StoreError.closed {}
        }
      }
      let observer = CheckedObserver<Purse>()
      let token = store.observe(Purse.sorted(by: \.balance)) { @Sendable in observer.receive($0) }
      let loops = (0..<3).map { number in
        Task.detached {
          let observer = CheckedObserver<Purse>()
          for await change in store.changes(of: Purse.where { $0.group == number }) {
            observer.receive(change)
          }
          failures.check(observer.breaches.isEmpty, "\(observer.breaches)")
        }
      }
      await started.reached(30)
      store.close()
      for thread in threads { try await thread.value() }
      for task in tasks { try await task.value }
      for loop in loops { await loop.value }
      try await store.settled()
      failures.check(Transfers.sum(store.snapshot()) == Transfers.total, "sum after closing")
      failures.check(observer.breaches.isEmpty, "\(observer.breaches)")
      token.invalidate()
    } while !deadline.isOver
    #expect(failures.all == [])
  }
}
