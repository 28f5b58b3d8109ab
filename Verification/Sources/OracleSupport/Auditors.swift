import Dispatch
import LiveStore
import Synchronization

/// Observers of a concurrent round. Each checks every event it is given.
final class Auditors: Sendable {
  private let store: Store
  private let round: RoundState
  private let tokens: [NotificationToken]
  private let tasks: [Task<Void, Never>]
  private let chains: [Chain]

  init(_ store: Store, _ round: RoundState) {
    self.store = store
    self.round = round
    let queries = [
      Account.all, Account.sorted(by: \.balance).limit(5), Account.where { $0.balance > 100 },
      Account.sorted(by: \.group).sorted(by: \.balance, .descending), Account.all.distinct(by: \.group),
      Account.where { $0.friends.contains { $0.balance < 90 } }, Account.all.tracking(\.friends.balance),
    ]
    let queue = DispatchQueue(label: "auditor")
    var tokens: [NotificationToken] = []
    var chains: [Chain] = []
    for (index, query) in queries.enumerated() {
      let merged = Chain("\(query)", query, round)
      let single = Chain("\(query), every commit", query, round, isEveryCommit: true)
      chains += [merged, single]
      tokens.append(
        index.isMultiple(of: 2)
          ? store.observe(query) { merged.take($0) } : store.observe(queue: queue, query) { merged.take($0) })
      tokens.append(store.observe(query, mode: .everyCommit) { single.take($0) })
    }
    let total = round.total
    tokens.append(
      store.observe(Account.all.sum(\.balance)) { change in
        if change.value != total { round.find("a live sum was \(change.value as Any)") }
      })
    self.tokens = tokens
    self.chains = chains
    let start = store.version
    tasks = [
      Task { await Self.readCommits(store, round, after: start) },
      Task { await Self.readTogether(store, round) },
      Task { await Self.readSnapshots(store, round) },
    ]
  }

  /// Stops, and compares what each observer was given last with what is there.
  func finish() async {
    let snapshot = store.snapshot()
    for chain in chains { chain.finish(snapshot) }
    for token in tokens { token.invalidate() }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }

  /// Every commit, one after another.
  private static func readCommits(_ store: Store, _ round: RoundState, after start: Version) async {
    var version = start.number
    do {
      for try await commit in store.commits(after: start) {
        if commit.version.number != version + 1 {
          round.find("commit \(commit.version) comes after \(version)")
        }
        version = commit.version.number
        let difference = commit.changes(of: Account.self).reduce(0) {
          $0 + ($1.new?.balance ?? 0) - ($1.old?.balance ?? 0)
        }
        if difference != 0 { round.find("commit \(commit.version) makes \(difference)") }
        round.check(commit.after)
      }
    } catch { round.find("the commits ended with \(error)") }
  }

  /// Several sources, at one version.
  private static func readTogether(_ store: Store, _ round: RoundState) async {
    for await change in store.changes(of: Account.all, Account.all.sum(\.balance), Account.all.count) {
      switch change {
      case .initial(let (accounts, sum, count)):
        if accounts.map(\.balance).reduce(0, +) != sum || accounts.count != count {
          round.find("members differ at first")
        }
      case .update(let (accounts, sum, count)):
        let balances = accounts.results?.map(\.balance) ?? []
        if balances.reduce(0, +) != sum.value || balances.count != count.value {
          round.find("members differ")
        }
      case .error(let error): round.find("several sources ended with \(error)")
      }
    }
  }

  private static func readSnapshots(_ store: Store, _ round: RoundState) async {
    var version = Version.zero
    while !Task.isCancelled {
      let snapshot = store.snapshot()
      if snapshot.version < version { round.find("snapshots go back to \(snapshot.version)") }
      version = snapshot.version
      round.check(snapshot)
      await Task.yield()
    }
  }
}

/// The events of one observer, each of which must follow from the one before.
final class Chain: Sendable {
  private let name: String
  private let query: Query<Account>
  private let round: RoundState
  private let isEveryCommit: Bool
  private let last = Mutex<Results<Account>?>(nil)

  init(_ name: String, _ query: Query<Account>, _ round: RoundState, isEveryCommit: Bool = false) {
    self.name = name
    self.query = query
    self.round = round
    self.isEveryCommit = isEveryCommit
  }

  func take(_ change: CollectionChange<Account>) {
    let last = last.withLock { $0 }
    switch change {
    case .error(let error): round.find("\(name) ended with \(error)")
    case .initial(let results):
      if last != nil { round.find("\(name): a second first event") }
      check(results)
    case .update(let results, let changes):
      guard let last else { return round.find("\(name): a change first") }
      if changes.isEmpty { round.find("\(name): an empty event") }
      if results.version <= last.version {
        round.find("\(name): from version \(last.version) to \(results.version)")
      }
      if !Self.isSame(changes.previous, last) { round.find("\(name): previous is not what was given last") }
      check(results)
      if let complaint = Self.replay(changes) {
        round.find("\(name), from version \(last.version) to \(results.version): \(complaint)")
      }
      if isEveryCommit, changes.previous.version.number + 1 < results.version.number {
        let before = changes.previous.snapshot
        if before.version > last.version { round.find("\(name): several commits in one event") }
      }
    }
    self.last.withLock { $0 = change.results ?? $0 }
  }

  func finish(_ snapshot: Snapshot) {
    guard let last = last.withLock({ $0 }) else { return round.find("\(name): no event at all") }
    if !Self.isSame(last, snapshot.fetch(query)) {
      round.find("\(name): the last event is not what is there")
    }
  }

  private func check(_ results: Results<Account>) {
    if !Self.isSame(results, results.snapshot.fetch(query)) {
      round.find("\(name): the results of version \(results.version) are not what its snapshot says")
    }
  }

  private static func isSame(_ one: Results<Account>, _ other: Results<Account>) -> Bool {
    one.count == other.count && zip(one, other).allSatisfy(isSame)
  }

  private static func isSame(_ one: Account, _ other: Account) -> Bool {
    one.id == other.id && one.balance == other.balance && one.transfers == other.transfers
      && one.friends == other.friends
  }

  private static func replay(_ changes: ChangeSet<Account>) -> String? {
    var rows = Array(changes.previous)
    let moved = Dictionary(uniqueKeysWithValues: changes.moves.map { ($0.to, rows[$0.from]) })
    for index in (changes.deletions + changes.moves.map(\.from)).sorted(by: >) { rows.remove(at: index) }
    for index in (changes.insertions + changes.moves.map(\.to)).sorted() {
      guard index <= rows.count else { return "an insertion beyond the end" }
      rows.insert(moved[index] ?? changes.current[index], at: index)
    }
    for modification in changes.modifications { rows[modification.newIndex] = modification.new }
    let isRight = rows.count == changes.current.count && zip(rows, changes.current).allSatisfy(isSame)
    return isRight ? nil : "the change set does not lead to the new results"
  }
}
