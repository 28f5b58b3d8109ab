import LiveStore
import Synchronization
import Testing
import TestSupport

private struct Score: Entity {
  let id: Int
  var value: Int
  static let schema = Schema<Score> { \.value }
}

/// A value whose hash is counted.
private struct Mark: Hashable, Sendable {
  private static let hashes = Atomic(0)
  static var hashCount: Int { hashes.load(ordering: .relaxed) }
  let number: Int

  func hash(into hasher: inout Hasher) {
    Self.hashes.add(1, ordering: .relaxed)
    hasher.combine(number)
  }
}

private struct Marked: Entity {
  let id: Int
  var mark: Mark
  static let schema = Schema<Marked> { \.mark }
}

/// Upkeep and consumers run on an executor that the test drives, so what a commit wakes is what waits there (L13).
@Suite(.timeLimit(.minutes(10)), .serialized) struct `Routing by the thread that commits` {
  private let executor = SeededExecutor()
  private let store: Store

  init() throws {
    var configuration = Store.Configuration()
    configuration.executor = executor
    store = try Store(Score.self, Marked.self, configuration: configuration)
    try store.write { tx in
      try tx.insert(contentsOf: (0..<100).map { Score(id: $0, value: $0) })
      try tx.insert(Marked(id: 1, mark: Mark(number: 1)))
    }
  }

  private func run(_ executor: SeededExecutor) {
    var random = SplitMix64(seed: 1)
    while executor.step(&random) {}
  }

  /// Has the background learn of new queries, which it does with the first commit after them (L12).
  private func learn() throws {
    run(executor)
    try set(0, 1)
    run(executor)
  }

  private func set(_ id: Int, _ value: Int) throws {
    try store.write { tx in try tx.update(Score.self, id) { $0.value = value } }
  }

  @Test func `a commit that concerns no query wakes nothing`() throws {
    let subscription = try store.subscribe(Score.where { $0.value > 50 })
    try learn()
    try set(3, 4)
    #expect(executor.waiting == 0)
    try set(3, 60)
    #expect(executor.waiting == 1)
    run(executor)
    try set(4, 5)
    #expect(executor.waiting == 0)
    withExtendedLifetime(subscription) {}
  }

  @Test func `a consumer that waits is the only one woken, and brings its query up to date`() throws {
    let (_, changes) = try store.subscribe(Score.where { $0.value > 50 }.sorted(by: \.value))
    let received = Mutex<[[Int]]>([])
    let task = Task.detached(executorPreference: executor) {
      for await change in changes {
        guard case .update(let scores, let changes) = change else { continue }
        #expect(changes.insertions == [scores.count - 1])
        received.withLock { $0.append(scores.suffix(2).map(\.id)) }
      }
    }
    try learn()
    try set(3, 200)
    #expect(executor.waiting == 1)
    run(executor)
    #expect(received.withLock { $0 } == [[99, 3]])
    // A commit before the consumer has looked leaves the query to the background as well.
    try set(4, 300)
    try set(5, 400)
    #expect(executor.waiting == 2)
    task.cancel()
    run(executor)
  }

  @Test func `a call of settled() does not wait for a consumer to bring its query up to date`() throws {
    let (_, changes) = try store.subscribe(Score.where { $0.value > 50 })
    let another = SeededExecutor()
    let task = Task.detached(executorPreference: another) { for await _ in changes {} }
    run(another)
    try learn()
    run(another)
    try set(3, 200)
    #expect(another.waiting == 1)
    #expect(executor.waiting == 0)
    let isSettled = Recorded()
    Task.detached(executorPreference: executor) { [store] in
      try await store.settled()
      isSettled.value.store(true, ordering: .relaxed)
    }
    run(executor)
    let isDone = isSettled.value.load(ordering: .relaxed)
    #expect(isDone)
    task.cancel()
    run(another)
  }

  @Test func `values of types of users are hashed in the background`() throws {
    let subscription = try store.subscribe(Marked.where { $0.mark == Mark(number: 1) })
    try learn()
    let before = Mark.hashCount
    try store.write { tx in try tx.update(Marked.self, 1) { $0.mark = Mark(number: 2) } }
    #expect(Mark.hashCount == before)
    #expect(executor.waiting == 1)
    run(executor)
    #expect(Mark.hashCount > before)
    withExtendedLifetime(subscription) {}
  }

  @Test(arguments: [16, 17])
  func `more than 16 queries that one value leads to are found in the background`(count: Int) throws {
    let tasks = try (0..<count).map { number in
      let (_, changes) = try store.subscribe(Score.where { $0.value > 50 + number })
      return Task.detached(executorPreference: executor) { for await _ in changes {} }
    }
    try learn()
    try set(3, 200)
    #expect(executor.waiting == (count == 16 ? 16 : 1))
    for task in tasks { task.cancel() }
    run(executor)
  }
}

private final class Recorded: Sendable {
  let value = Atomic(false)
}
