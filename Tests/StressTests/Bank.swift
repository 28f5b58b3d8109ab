import LiveStore
import Synchronization
import TestSupport

struct Account: Entity, Equatable {
  let id: Int
  var balance: Int
  var owner: String

  static let schema = Schema<Account> {
    Property(\.balance, .indexed)
    Property(\.owner, .unique)
  }
}

/// A store of accounts, those who use it, and what they find wrong.
final class Bank: Sendable {
  static let accounts = 100
  static let total = accounts * 100
  private static let richest = Account.where { $0.balance >= 50 }.sorted(by: \.balance, .descending)

  let store: Store
  private let isStopped = Atomic(false)
  private let committed = Atomic(0)
  private let found = Mutex<[String]>([])
  /// Those who have not done yet what they are there for.
  private let idle = Mutex<Set<Part>>(Set(Part.allCases))

  private enum Part: CaseIterable { case thread, task, canceller, reader, commits, stream, tokens }

  init() async throws {
    store = try Store(Account.self)
    try await store.write { tx in
      try tx.insert(
        contentsOf: (0..<Self.accounts).map { Account(id: $0, balance: 100, owner: "owner \($0)") })
    }
  }

  var problems: [String] { found.withLock { $0 } }
  var commits: Int { committed.load(ordering: .acquiring) }
  private var goesOn: Bool { !isStopped.load(ordering: .acquiring) }

  func sum(_ accounts: Results<Account>) -> Int { accounts.reduce(0) { $0 + $1.balance } }

  private func note(_ problem: String) {
    found.withLock { if $0.count < 20 { $0.append(problem) } }
    isStopped.store(true, ordering: .releasing)
  }

  private func hasDone(_ part: Part) { idle.withLock { _ = $0.remove(part) } }

  /// Stops everything after a while, and not before each has done something.
  func stop(after duration: Duration) async {
    let clock = ContinuousClock()
    let end = clock.now + duration
    while (clock.now < end || idle.withLock { !$0.isEmpty }) && goesOn { await Task.yield() }
    isStopped.store(true, ordering: .releasing)
  }

  func close(afterCommits count: Int) async {
    while commits < count && goesOn { await Task.yield() }
    store.close()
    isStopped.store(true, ordering: .releasing)
  }
}

// MARK: Writers

extension Bank {
  /// Moves money; sometimes the account is closed and opened again under its id. False when nothing changed.
  private static func transfer(
    _ tx: borrowing WriteTransaction, _ random: inout SplitMix64
  ) throws -> Bool {
    let (from, to) = (
      Int.random(in: 0..<accounts, using: &random), Int.random(in: 0..<accounts, using: &random)
    )
    let amount = Int.random(in: 1...20, using: &random)
    guard from != to else { return false }
    try tx.update(Account.self, from) { $0.balance -= amount }
    if amount.isMultiple(of: 3), let account = tx[Account.self, to] {
      try tx.delete(Account.self, to)
      try tx.insert(Account(id: to, balance: account.balance + amount, owner: account.owner))
    } else {
      try tx.update(Account.self, to) { $0.balance += amount }
    }
    return true
  }

  private func count(_ hasChanged: Bool) {
    if hasChanged { committed.add(1, ordering: .acquiringAndReleasing) }
  }

  /// Blocking writes on a thread of their own.
  func writeOnThread(seed: UInt64) async {
    let worker = Worker { [self] in
      var random = SplitMix64(seed: seed)
      while goesOn {
        do {
          count(try store.write(origin: "thread") { try Self.transfer($0, &random) })
          hasDone(.thread)
        } catch StoreError.closed {
          return
        } catch {
          note("blocking write: \(error)")
        }
      }
    }
    do { try await worker.value() } catch { note("\(error)") }
  }

  func writeInTask(seed: UInt64) async {
    var random = SplitMix64(seed: seed)
    while goesOn {
      do {
        count(try await store.write(origin: "task") { try Self.transfer($0, &random) })
        hasDone(.task)
      } catch StoreError.closed {
        return
      } catch {
        note("suspending write: \(error)")
      }
      await Task.yield()
    }
  }

  /// Writes that are cancelled while they wait, run or are done.
  func cancelWrites(seed: UInt64) async {
    var random = SplitMix64(seed: seed)
    while goesOn {
      let own = SplitMix64(seed: random.next())
      let task = Task { [self] in
        var own = own
        count(try await store.write { try Self.transfer($0, &own) })
      }
      for _ in 0..<Int.random(in: 0..<3, using: &random) { await Task.yield() }
      task.cancel()
      switch await task.result {
      case .success: break
      case .failure(let error): if !(error is CancellationError) { note("cancelled write: \(error)") }
      }
      hasDone(.canceller)
    }
  }
}

// MARK: Readers

extension Bank {
  /// Looks at the newest snapshot and keeps some, which must not change.
  func read() async {
    var kept: [(snapshot: Snapshot, accounts: [Account])] = []
    while goesOn {
      let snapshot = store.snapshot()
      let accounts = snapshot.fetch(Account.all)
      if sum(accounts) != Self.total { note("a snapshot has the sum \(sum(accounts))") }
      if Set(accounts.map(\.id)).count != Self.accounts { note("a snapshot lacks accounts") }
      kept.append((snapshot, Array(accounts)))
      if kept.count > 8 {
        let oldest = kept.removeFirst()
        if Array(oldest.snapshot.fetch(Account.all)) != oldest.accounts { note("an old snapshot changed") }
        hasDone(.reader)
      }
      await Task.yield()
    }
  }

  func followCommits() async {
    // Also when it fell behind before there was anything to look at.
    defer { hasDone(.commits) }
    var last = store.version
    do {
      for try await commit in store.commits(after: last) {
        if commit.version.number != last.number + 1 { note("commit \(commit.version) after \(last)") }
        last = commit.version
        let changes = commit.changes(of: Account.self)
        let balance = changes.reduce(0) { $0 + ($1.new?.balance ?? 0) - ($1.old?.balance ?? 0) }
        if balance != 0 { note("commit \(commit.version) makes \(balance) of nothing") }
        hasDone(.commits)
        if !goesOn { break }
      }
    } catch StoreError.historyTruncated, StoreError.closed {
      // Fell behind, or started late, as the error says.
    } catch {
      note("commits: \(error)")
    }
  }

  /// Observers that come and go: each follows for some events and is followed by another.
  func followByStream(_ number: Int) async {
    let query = number == 0 ? Account.all : Self.richest
    while goesOn {
      var events = 0
      var last: Results<Account>?
      for await change in store.changes(of: query) {
        if let problem = check(change, after: last, isWhole: number == 0) {
          note("stream \(number): \(problem)")
        }
        last = change.results
        events += 1
        if events > 1 { hasDone(.stream) }
        if events == 20 || !goesOn { break }
      }
    }
  }

  /// Tokens that are paused, and invalidated from elsewhere or inside their own handler.
  func followByTokens(seed: UInt64) async {
    var random = SplitMix64(seed: seed)
    while goesOn {
      let last = Mutex<Results<Account>?>(nil)
      let own = Mutex<NotificationToken?>(nil)
      let endsItself = Bool.random(using: &random)
      let token = store.observe(Self.richest, excluding: Bool.random(using: &random) ? ["thread"] : []) {
        [self] change in
        let before = last.withLock { last in
          defer { last = change.results }
          return last
        }
        if let problem = check(change, after: before, isWhole: false) { note("token: \(problem)") }
        if endsItself { own.withLock { $0 }?.invalidate() }
      }
      own.withLock { $0 = token }
      for _ in 0..<Int.random(in: 0..<5, using: &random) { await Task.yield() }
      token.pause()
      await Task.yield()
      token.resume()
      do { try await store.settled() } catch { note("settled: \(error)") }
      token.invalidate()
      own.withLock { $0 = nil }
      hasDone(.tokens)
    }
  }

  /// What is wrong with an event, if anything.
  private func check(
    _ change: CollectionChange<Account>, after last: Results<Account>?, isWhole: Bool
  ) -> String? {
    switch change {
    case .initial(let accounts):
      if last != nil { return "a second initial event" }
      return isWhole && sum(accounts) != Self.total ? "the sum is \(sum(accounts))" : nil
    case .update(let accounts, let changes):
      guard let last else { return "an update before the initial event" }
      if accounts.version <= last.version { return "version \(accounts.version) after \(last.version)" }
      if changes.isEmpty { return "an empty change" }
      if isWhole && sum(accounts) != Self.total { return "the sum is \(sum(accounts))" }
      var replayed = Array(changes.previous)
      let gone = (changes.deletions + changes.moves.map(\.from)).sorted(by: >)
      for index in gone { replayed.remove(at: index) }
      let come = (changes.insertions + changes.moves.map(\.to)).sorted()
      for index in come { replayed.insert(accounts[index], at: index) }
      for modification in changes.modifications { replayed[modification.newIndex] = modification.new }
      return replayed == Array(accounts) ? nil : "\(changes) does not lead to its result"
    case .error(let error):
      return error.code == StoreError.closed ? nil : "\(error)"
    }
  }
}
