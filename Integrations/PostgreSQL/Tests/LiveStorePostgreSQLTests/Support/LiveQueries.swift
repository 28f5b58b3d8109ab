import LiveStore
import PostgreSQLTestSupport

/// Live queries over the tables of a history, each of whose events is held to the law of change sets.
final class LiveQueries: Sendable {
  private struct Subscription: Sendable {
    let check: @Sendable (String) async throws -> Void
    let stop: @Sendable () -> Void
  }

  private let subscriptions: [Subscription]

  init(_ store: Store) {
    let popular = World.Article.where { $0.likeCount >= 2 }.sorted(by: \.likeCount, .descending)
      .sorted(by: \.title).limit(4)
    subscriptions = [
      Self.stream(popular, store), Self.stream(World.Article.where { $0.author.name == "Ann" }, store),
      Self.token(World.Item.all.sorted(by: \.small), store),
      Self.token(World.Account.where { $0.isActive == true }, store), Self.stream(World.Label.all, store),
      Self.token(World.Event.all.sorted(by: \.day, .descending).limit(3), store),
    ]
  }

  deinit { for subscription in subscriptions { subscription.stop() } }

  private static func stream<Entity: SampleEntity>(_ query: Query<Entity>, _ store: Store) -> Subscription {
    let observer = CheckedObserver<Entity>()
    let task = Task { for await change in store.changes(of: query) { observer.receive(change) } }
    return Subscription { place in
      // The stream ends with the store, and then has all that it will have.
      let isUp = await isReached { observer.rows == Array(store.fetch(query)) || !observer.breaches.isEmpty }
      try require(isUp, "\(place): a stream of \(query) does not get there")
      try check(observer, query, place)
    } stop: {
      task.cancel()
    }
  }

  private static func token<Entity: SampleEntity>(_ query: Query<Entity>, _ store: Store) -> Subscription {
    let observer = CheckedObserver<Entity>()
    let token = store.observe(query) { observer.receive($0) }
    return Subscription { place in
      try await store.settled()
      let rows = Array(store.fetch(query))
      try require(observer.rows == rows, "\(place): an observer of \(query) is not at the newest version")
      try check(observer, query, place)
    } stop: {
      token.invalidate()
    }
  }

  private static func check<Entity: SampleEntity>(
    _ observer: CheckedObserver<Entity>, _ query: Query<Entity>, _ place: String
  ) throws {
    try require(observer.breaches.isEmpty, "\(place): \(query): \(observer.breaches)")
    if let error = observer.error { throw Mismatch("\(place): \(query) ended with \(error)") }
  }

  /// Throws unless all observers have the newest results, and got them by events that hold to the law.
  func check(_ place: String) async throws {
    for subscription in subscriptions { try await subscription.check(place) }
  }
}
