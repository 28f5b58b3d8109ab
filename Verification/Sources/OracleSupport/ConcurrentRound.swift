import Dispatch
import Foundation
import LiveStore
import Synchronization

/// Tasks and threads that write and observe one store at once, queryCase at each event and at the end.
public struct ConcurrentRound: Sendable {
  /// The seed of what each writer does; how they interleave is not determined.
  public var seed: UInt64
  /// How many writes each writer makes.
  public var writes: Int
  /// How many accounts there are.
  public var accounts: Int

  /// A round.
  public init(seed: UInt64, writes: Int = 60, accounts: Int = 24) {
    self.seed = seed
    self.writes = writes
    self.accounts = accounts
  }

  /// Runs the round. Returns what was found.
  public func run() async -> [String] {
    do {
      let store = try Store(Account.self, Transfer.self, Doctor.self)
      let round = RoundState(store: store, round: self)
      try await round.fill()
      let auditors = Auditors(store, round)
      await round.write()
      try await store.settled()
      await auditors.finish()
      try round.verifyEnd()
      store.close()
      return round.findings
    } catch {
      return ["the round threw \(error)"]
    }
  }
}

/// A round under way.
final class RoundState: Sendable {
  let store: Store
  let round: ConcurrentRound
  private let found = Inbox<String>()
  private let committed = Atomic<Int>(0)
  private let nextID = Atomic<Int>(0)
  private let done = Mutex<[String]>([])

  init(store: Store, round: ConcurrentRound) {
    self.store = store
    self.round = round
  }

  var findings: [String] { done.withLock { $0 } }
  var total: Int { round.accounts * 100 }

  func find(_ text: String) { done.withLock { $0.append(text) } }

  func fill() async throws {
    let accounts = round.accounts
    try await store.write { tx in
      for id in 0..<accounts {
        try tx.insert(Account(id: id, balance: 100, group: id % 3, name: "account \(id)"))
      }
      for id in 0..<8 { try tx.insert(Doctor(id: id, isOnCall: true)) }
    }
  }

  func write() async {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<3 { group.addTask { await self.writeAsynchronously(number) } }
      for number in 3..<6 { group.addTask { await self.writeOptimistically(number) } }
      for number in 6..<8 {
        group.addTask {
          await withCheckedContinuation { continuation in
            Thread.detachNewThread {
              self.writeBlocking(number)
              continuation.resume()
            }
          }
        }
      }
      group.addTask { await self.watchAndLeave(8) }
    }
  }

  // MARK: Writers

  private func writeAsynchronously(_ number: Int) async {
    var random = Randomness(seed: round.seed, step: number)
    for _ in 0..<round.writes {
      let plan = plan(&random)
      do {
        try await store.write(origin: plan.origin) { tx in try self.transfer(plan, tx) }
        committed.add(plan.counts ? 1 : 0, ordering: .relaxed)
      } catch { verify(error, plan) }
    }
  }

  private func writeBlocking(_ number: Int) {
    var random = Randomness(seed: round.seed, step: number)
    for _ in 0..<round.writes {
      let plan = plan(&random)
      do {
        try store.write(origin: plan.origin) { tx in try self.transfer(plan, tx) }
        committed.add(plan.counts ? 1 : 0, ordering: .relaxed)
      } catch { verify(error, plan) }
    }
  }

  private func writeOptimistically(_ number: Int) async {
    var random = Randomness(seed: round.seed, step: number)
    for _ in 0..<round.writes {
      if random.percent(30) {
        await goOffCall(random.below(4), random.below(2))
        continue
      }
      let plan = plan(&random)
      do {
        try await store.transaction(retries: 1000, origin: plan.origin) { tx in
          await Task.yield()
          try self.transfer(plan, tx)
          await Task.yield()
        }
        committed.add(plan.counts ? 1 : 0, ordering: .relaxed)
      } catch { verify(error, plan) }
    }
  }

  /// A doctor of a pair goes off call only if both are on call, else comes on call.
  private func goOffCall(_ pair: Int, _ member: Int) async {
    do {
      try await store.transaction(retries: 1000) { tx in
        let onCall = tx.fetch(Doctor.where { $0.id.in([pair * 2, pair * 2 + 1]) && $0.isOnCall == true })
          .count
        await Task.yield()
        try tx.update(Doctor.self, pair * 2 + member) { $0.isOnCall = onCall < 2 }
      }
    } catch { find("a doctor's transaction threw \(error)") }
  }

  /// Begins and ends observers while others write.
  private func watchAndLeave(_ number: Int) async {
    var random = Randomness(seed: round.seed, step: number)
    for _ in 0..<round.writes {
      let query = Account.where { $0.balance >= 100 }.sorted(by: \.balance).limit(1 + random.below(9))
      var iterator = store.changes(of: query).makeAsyncIterator()
      guard case .initial(let results)? = await iterator.next() else {
        find("an observation began without a first event")
        continue
      }
      let again = results.snapshot.fetch(query)
      if results.map(\.id) != again.map(\.id) || results.map(\.balance) != again.map(\.balance) {
        find("the first results are \(results.map(\.id)), but the snapshot says \(again.map(\.id))")
      }
      await Task.yield()
    }
  }

  // MARK: What is written

  struct Plan: Sendable {
    var source: Int
    var target: Int
    var amount: Int
    var origin: String?
    var kind: Int
    var id: Int
    /// Whether it is to be found in the accounts at the end.
    var counts: Bool { kind != 1 && source != target }
  }

  struct Refusal: Error {}

  private func plan(_ random: inout Randomness) -> Plan {
    Plan(
      source: random.below(round.accounts), target: random.below(round.accounts), amount: random.below(20),
      origin: random.pick([nil, "ui", "sync"]), kind: random.below(8),
      id: nextID.add(1, ordering: .relaxed).newValue)
  }

  private func transfer(_ plan: Plan, _ tx: borrowing WriteTransaction) throws {
    guard plan.source != plan.target else { return }
    guard let source = tx[Account.self, plan.source] else {
      throw Finding(description: "no account \(plan.source)")
    }
    try tx.update(Account.self, plan.source) { account in
      if account.balance != source.balance {
        throw Finding(description: "an account changed inside a transaction")
      }
      account.balance -= plan.amount
      account.transfers += 1
      if plan.kind == 2 { account.friends.append(Ref(plan.target)) }
      if plan.kind == 3, !account.friends.isEmpty { account.friends.remove(at: 0) }
    }
    try tx.update(Account.self, plan.target) { account in
      account.balance += plan.amount
      account.transfers += 1
    }
    try tx.insert(
      Transfer(id: plan.id, source: Ref(plan.source), target: Ref(plan.target), amount: plan.amount))
    if plan.kind == 1 { throw Refusal() }
    if plan.kind == 4 { try tx.delete(Transfer.where { $0.amount < 3 }) }
    if tx.value(of: Account.all.sum(\.balance)) != total {
      throw Finding(description: "the sum is wrong in a transaction")
    }
  }

  private func verify(_ error: any Error, _ plan: Plan) {
    if plan.kind == 1, plan.source != plan.target, error is Refusal { return }
    find("a write threw \(error)")
  }

  // MARK: The end

  func verifyEnd() throws {
    let snapshot = store.snapshot()
    let accounts = snapshot.fetch(Account.all)
    let count = accounts.map(\.transfers).reduce(0, +)
    let expected = committed.load(ordering: .relaxed) * 2
    if count != expected { find("\(count) halves of transfers are kept of \(expected)") }
    check(snapshot)
  }

  /// What holds at every version.
  func check(_ snapshot: Snapshot) {
    let accounts = snapshot.fetch(Account.all)
    let sum = accounts.map(\.balance).reduce(0, +)
    if sum != total { find("at version \(snapshot.version), the accounts have \(sum), not \(total)") }
    if snapshot.value(of: Account.all.sum(\.balance)) != sum { find("the sum is not that of the rows") }
    let onCall = Dictionary(grouping: snapshot.fetch(Doctor.all)) { $0.id / 2 }
    for (pair, doctors) in onCall where !doctors.contains(where: \.isOnCall) {
      find("at version \(snapshot.version), pair \(pair) has no one on call")
    }
  }
}
