import LiveStore
import TestSupport
import Testing

/// What one commit wakes runs in the order in which it was made (L15).
///
/// Bug: the order was that of sets and dictionaries. Each process has hashes of its own, so a simulation took
/// another course in each.
@Suite struct `The order in which observers are woken` {
  private static let count = 40

  private let executor = SeededExecutor()
  private let store: Store
  private let called = Recorder<Int>()

  init() throws {
    var configuration = Store.Configuration()
    configuration.executor = executor
    store = try Store(Item.self, configuration: configuration)
  }

  private func run() { while executor.stepInOrder() {} }

  /// Observers append their numbers when they are called: at first, and after a commit.
  private func expectOrder(_ observe: (_ number: Int) -> NotificationToken) throws {
    let numbers = Array(0..<Self.count)
    let tokens = numbers.map(observe)
    run()
    #expect(called.events == numbers)
    try store.write { tx in try tx.insert(Item(1, rank: 1)) }
    run()
    #expect(called.events == numbers + numbers)
    for token in tokens { token.invalidate() }
    run()
  }

  @Test func `observers of one query are called in the order in which they began`() throws {
    try expectOrder { number in
      store.observe(Item.where { $0.rank > 0 }.count) { [called] _ in called.append(number) }
    }
  }

  @Test func `observers of a table are called in the order in which they began`() throws {
    try expectOrder { number in store.observe(Item.all) { [called] _ in called.append(number) } }
  }

  @Test func `observers of several queries are called in the order in which they began`() throws {
    try expectOrder { number in
      let least = number - Self.count
      return store.observe(Item.where { $0.rank > least }) { [called] _ in called.append(number) }
    }
  }

  @Test func `observers of every commit are called in the order in which they began`() throws {
    try expectOrder { number in
      store.observe(Item.all, mode: .everyCommit) { [called] _ in called.append(number) }
    }
  }

  @Test func `calls of settled() return in their order`() throws {
    let token = store.observe(Item.all) { _ in }
    run()
    let (store, called) = (store, called)
    let tasks = (0..<Self.count).map { number in
      Task(executorPreference: executor) {
        try await store.settled(through: .number(1))
        called.append(number)
      }
    }
    run()
    #expect(called.events == [])
    try store.write { tx in try tx.insert(Item(1)) }
    run()
    #expect(called.events == Array(0..<Self.count))
    token.invalidate()
    run()
    withExtendedLifetime(tasks) {}
  }
}
