import LiveStore
import Synchronization
import TestSupport
import Testing

/// Waits, once it is armed, wherever it is passed.
private final class Barrier: Sendable {
  let inside = Signal()
  let leave = Signal()
  private let isArmed = Mutex(false)

  func arm() { isArmed.withLock { $0 = true } }

  func pass() {
    let isFirst = isArmed.withLock { isArmed in
      defer { isArmed = false }
      return isArmed
    }
    guard isFirst else { return }
    inside.send()
    leave.wait()
  }
}

/// A value by which changes are routed to the queries that ask for it.
private struct Mark: Hashable, Sendable {
  static let hashing = Barrier()
  let number: Int

  func hash(into hasher: inout Hasher) {
    Self.hashing.pass()
    hasher.combine(number)
  }
}

private struct Marked: Entity {
  let id: Int
  var mark: Mark
  static let schema = Schema<Marked> { \.mark }
}

/// Queries that are added while commits are being routed.
@Suite(.timeLimit(.minutes(10))) struct `A pass of routing` {
  /// ```
  /// the background          a thread                       this test
  ///                         evaluates a query at S
  ///                                                        commits S + 1
  /// routes S + 1
  ///                         adds the query, a result at S
  /// gives each query the
  /// commit that concerns it
  /// ```
  @Test func `a query that is added during a pass is brought over the commits of the pass`() async throws {
    let store = try Store(Marked.self)
    try await store.write { tx in try tx.insert(Marked(id: 1, mark: Mark(number: 1))) }
    let token = store.observe(Marked.where { $0.mark == Mark(number: 1) }) { _ in }
    try await store.settled()

    let filtering = Barrier()
    let late = Marked.filter { (row: Marked) in
      filtering.pass()
      return row.id > 0
    }
    filtering.arm()
    let worker = Worker { try store.subscribe(late) }
    await filtering.inside.arrival()
    Mark.hashing.arm()
    try await store.write { tx in try tx.update(Marked.self, 1) { $0.mark = Mark(number: 2) } }
    await Mark.hashing.inside.arrival()
    filtering.leave.send()
    let (results, changes) = try await worker.value()
    #expect(results.map(\.mark.number) == [1])
    Mark.hashing.leave.send()

    var iterator = changes.makeAsyncIterator()
    let change = await iterator.next()
    #expect(change?.results?.map(\.mark.number) == [2])
    withExtendedLifetime(token) {}
  }
}
