import LiveStore
import LiveStoreObservation
import Observation
import Testing

// This target's default isolation is the main actor, as an app's is: everything here, entities included, is
// written without a word about isolation, but for nested value types, which are compared on other threads.

private nonisolated enum Status: String, Codable, Sendable { case draft, published }

private nonisolated struct Place: Equatable, Sendable {
  var street = ""
  var city = ""
}

private struct Author: Entity, Codable {
  let id: String
  var name: String
  static let schema = Schema<Author> { Property(\.name, .unique) }
}

private struct Post: Entity {
  let id: Int
  var title = ""
  var likeCount = 0
  var status = Status.draft
  var address: Place?
  var scratch = 0
  static let schema = Schema<Post> {
    \.title
    Property(\.likeCount, .indexed)
    \.status
    \.address
    Ignored(\.scratch)
  }
}

/// A view model of an app.
@Observable private final class PostList {
  private(set) var titles: [String] = []
  private(set) var changes: [String] = []
  private var token: NotificationToken?
  let store: Store

  init(_ store: Store) { self.store = store }

  func start() {
    let popular = Post.where { $0.likeCount >= 10 }.sorted(by: \.likeCount, .descending)
    token = store.observe(popular) { [weak self] change in
      switch change {
      case .initial(let posts): self?.titles = posts.map(\.title)
      case .update(let posts, let changes):
        self?.titles = posts.map(\.title)
        self?.changes.append("-\(changes.deletions) +\(changes.insertions)")
      case .error(let error): self?.changes.append("\(error)")
      }
    }
  }

  func stop() { token = nil }

  // A synchronous action, as of a button.
  func like(_ id: Int) throws {
    try store.write { tx in try tx.update(Post.self, id) { $0.likeCount += 1 } }
  }
}

@Suite(.timeLimit(.minutes(20))) struct `An app on the main actor` {
  private let store: Store

  init() async throws {
    store = try Store(Author.self, Post.self)
    try await store.write { tx in
      try tx.insert(Author(id: "a", name: "Ann"))
      try tx.insert(Post(id: 1, title: "One", likeCount: 9, address: Place(city: "Bern")))
      try tx.insert(Post(id: 2, title: "Two", likeCount: 20, status: .published))
    }
  }

  @Test func `an app on the main actor writes and reads`() async throws {
    var edits = 0
    let title = try await store.write { tx in
      try tx.update(Post.self, 1) { post in
        post.status = .published
        edits += 1
      }
      try tx.update(Post.where { $0.status == .published }) { $0.likeCount += 1 }
      try tx.upsert(Author(id: "b", name: "Bea"))
      return tx[Post.self, 1]?.title
    }
    #expect(title == "One" && edits == 1)
    let snapshot = store.snapshot()
    #expect(snapshot.fetch(Post.all).map(\.likeCount) == [10, 21])
    #expect(snapshot.fetch(Post.where { $0.address.city == "Bern" }).map(\.id) == [1])
    #expect(snapshot.fetch(Author.sorted(by: \.name, .descending)).map(\.id) == ["b", "a"])
    #expect(snapshot.fetch(Post.where { $0.title.contains("o", options: [.caseInsensitive]) }).count == 2)
  }

  @Test func `an app on the main actor writes from a button and observes in a model`() async throws {
    let list = PostList(store)
    list.start()
    #expect(list.titles.isEmpty)
    try await store.settled()
    #expect(list.titles == ["Two"])
    try list.like(1)
    #expect(list.titles == ["Two"])
    try await store.settled()
    #expect(list.titles == ["Two", "One"])
    #expect(list.changes == ["-[] +[1]"])
    list.stop()
    try list.like(1)
    try await store.settled()
    #expect(list.changes.count == 1)
  }

  @Test func `handlers on the main actor change what they captured as it is`() async throws {
    final class Log { var lines: [String] = [] }
    let log = Log()
    let token = store.observe(Post.self, 2) { change in
      MainActor.assertIsolated()
      switch change {
      case .initial(let post): log.lines.append("is \(post?.title ?? "gone")")
      case .change(_, let new, let properties): log.lines.append("\(properties.map(\.name)) \(new.title)")
      case .deleted(let post): log.lines.append("was \(post.title)")
      case .inserted(let post): log.lines.append("new \(post.title)")
      case .error(let error): log.lines.append("\(error)")
      }
    }
    let count = store.observe(Post.all.count) { change in log.lines.append("\(change.value ?? -1)") }
    try await store.settled()
    log.lines = []
    try await store.write { tx in _ = try tx.update(Post.self, 2) { $0.title = "Zwei" } }
    try await store.settled()
    try await store.write { tx in _ = try tx.delete(Post.self, 2) }
    try await store.settled()
    #expect(log.lines.prefix(1) == ["[\"title\"] Zwei"])
    #expect(Set(log.lines.dropFirst()) == ["was Zwei", "1"])
    token.invalidate()
    count.invalidate()
  }

  @Test func `an app on the main actor loops over changes, values and commits`() async throws {
    var counts: [Int] = []
    for await change in store.changes(of: Post.where { $0.likeCount > 0 }) {
      counts.append(change.results?.count ?? -1)
      if counts.count == 2 { break }
      try await store.write { tx in try tx.insert(Post(id: 3, likeCount: 1)) }
    }
    #expect(counts == [2, 3])
    for try await count in store.values(of: Post.all.count) {
      #expect(count == 3)
      break
    }
    let start = store.version
    try await store.write(origin: "ui") { tx in _ = try tx.delete(Post.self, 3) }
    for try await commit in store.commits(after: start) {
      #expect(commit.origin == "ui" && commit.changes(of: Post.self).map { $0.old?.id } == [3])
      break
    }
  }

  @Test func `an app on the main actor loops in a task that a view would own`() async throws {
    let seen = AsyncStream.makeStream(of: Int.self)
    let task = Task {
      for await change in store.changes(of: Post.all) {
        MainActor.assertIsolated()
        seen.continuation.yield(change.results?.count ?? -1)
      }
      seen.continuation.finish()
    }
    var counts = seen.stream.makeAsyncIterator()
    #expect(await counts.next() == 2)
    try await store.write { tx in _ = try tx.delete(Post.self, 1) }
    #expect(await counts.next() == 1)
    task.cancel()
    await task.value
    #expect(await counts.next() == nil)
  }

  @Test func `an app on the main actor observes several queries at one version`() async throws {
    var events = store.changes(of: Post.all, Author.all.count, Post.object(1)).makeAsyncIterator()
    guard case .initial((let posts, let authors, let post)) = await events.next() else {
      Issue.record("no initial event")
      return
    }
    #expect(posts.count == 2 && authors == 1 && post?.title == "One")
  }

  @Test func `an app on the main actor keeps results in an observable object`() async throws {
    let results = LiveResults(store, Post.sorted(by: \.title))
    _ = results.elements
    try await store.settled()
    #expect(results.elements.map(\.title) == ["One", "Two"])
    try await store.write { tx in try tx.insert(Post(id: 3, title: "A")) }
    #expect(results.elements.map(\.title) == ["A", "One", "Two"])
    #expect(results.lastChange == nil)
    let store = store
    try await Task.detached {
      try await store.write { tx in try tx.insert(Post(id: 4, title: "B")) }
    }.value
    try await store.settled()
    #expect(results.elements.map(\.title) == ["A", "B", "One", "Two"])
    #expect(results.lastChange?.insertions == [1])
  }

  @Test func `an app on the main actor passes snapshots and entities elsewhere`() async throws {
    let snapshot = store.snapshot()
    let titles = await Task.detached { snapshot.fetch(Post.all).map(\.title) }.value
    #expect(titles == ["One", "Two"])
    let store = store
    try await Task.detached {
      try await store.write { tx in try tx.insert(Post(id: 9, title: "elsewhere")) }
    }.value
    #expect(store.snapshot()[Post.self, 9]?.title == "elsewhere")
  }

  @Test func `an app on the main actor filters with closures`() async throws {
    let query = Post.filter { $0.title.count == 3 && $0.status == .draft }
    #expect(store.snapshot().fetch(query).map(\.id) == [1])
  }

  @Test func `an app on the main actor catches errors by their code`() async throws {
    var caught = false
    do {
      try await store.write { tx in try tx.insert(Author(id: "z", name: "Ann")) }
    } catch StoreError.uniqueViolation {
      caught = true
    }
    #expect(caught)
  }
}
