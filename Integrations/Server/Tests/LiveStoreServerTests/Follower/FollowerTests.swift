import Foundation
import LiveStore
import LiveStoreFollower
import LiveStoreServer
import Synchronization
import Testing

@Suite("A follower", .timeLimit(.minutes(2)))
struct FollowerTests {
  private func makeStore(history: Int = 1_000) throws -> Store {
    var configuration = Store.Configuration()
    configuration.historyCommits = history
    let store = try Store(Item.self, Person.self, configuration: configuration)
    try store.write { tx in
      for id in 1...3 { try tx.insert(Person(id: id, name: "Person \(id)")) }
      for id in ["a", "b", "c", "d"] {
        try tx.insert(Item(id: id, text: "Item \(id)", owner: Ref(1), list: [Ref(2), Ref(3), Ref(2)]))
      }
    }
    return store
  }

  private func connect(
    _ server: RunningServer, _ options: FollowerOptions = .ofTests
  ) async throws -> StoreFollower {
    try await StoreFollower.connect(to: server.url, Item.self, Person.self, options: options)
  }

  @Test("has the objects of the server when it is connected, and each commit as one commit with its origin")
  func following() async throws {
    let store = try makeStore()
    let server = RunningServer()
    try await server.start(store)
    let follower = try await connect(server)
    defer { follower.close() }
    #expect(follower.store.snapshot().difference(from: store.snapshot(), Item.all) == nil)
    #expect(follower.store.snapshot().difference(from: store.snapshot(), Person.all) == nil)
    var commits = follower.store.commits(after: follower.store.version).makeAsyncIterator()
    for (origin, id) in [("ui", "a"), (nil, "b")] {
      try await store.write(origin: origin) { tx in
        try tx.update(Item.self, id) { $0.count = 9 }
        try tx.update(Person.self, 1) { $0.name = "Owner of \(id)" }
      }
      let commit = try #require(try await commits.next())
      #expect(commit.origin == origin)
      #expect(commit.changes(of: Item.self).map(\.new?.id) == [id])
      #expect(commit.changes(of: Person.self).map(\.new?.name) == ["Owner of \(id)"])
    }
    #expect(follower.store.fetch(Item.where { $0.owner.name == "Owner of b" }).count == 4)
    await server.stop()
  }

  @Test("is a store that none but the follower writes to")
  func readOnly() async throws {
    let server = RunningServer()
    try await server.start(try makeStore())
    let follower = try await connect(server)
    defer { follower.close() }
    let error = await #expect(throws: StoreError.self) {
      try await follower.store.write { tx in try tx.delete(Item.self, "a") }
    }
    #expect(error?.code == StoreError.readOnly)
    await server.stop()
  }

  @Test("over a Unix socket has what one over the network has")
  func unixSocket() async throws {
    let socket = FileManager.default.temporaryDirectory.appending(path: "livestore-\(UUID()).sock")
    let store = try makeStore()
    let server = RunningServer(on: .unixSocket(socket.path))
    try await server.start(store)
    let follower = try await StoreFollower.connect(to: socket, Item.self, Person.self, options: .ofTests)
    defer { follower.close() }
    try await store.write { tx in try tx.delete(Person.self, 2) }
    try await follower.caughtUp(to: store.version)
    #expect(follower.store.fetch(Person.all).map(\.id) == [1, 3])
    await server.stop()
  }

  @Test("has an object that moved to the end at the end, and one that was put between others between them")
  func order() async throws {
    let store = try makeStore()
    try await store.write { tx in try tx.update(Item.where { $0.id != "b" }) { $0.count = 5 } }
    let server = RunningServer()
    try await server.start(store, items: Item.where { $0.count > 3 })
    let follower = try await connect(server)
    defer { follower.close() }
    #expect(follower.store.fetch(Item.all).map(\.id) == ["a", "c", "d"])
    var changes = follower.store.changes(of: Item.all, initial: .skip).makeAsyncIterator()
    try await store.write { tx in try tx.update(Item.self, "b") { $0.count = 8 } }
    guard case .update(let items, let change) = await changes.next() else { throw Failure("no change") }
    #expect(items.map(\.id) == ["a", "b", "c", "d"])
    #expect(Array(change.insertions) == [1])
    #expect(change.deletions.isEmpty && change.moves.isEmpty && change.modifications.isEmpty)
    try await store.write { tx in
      let item = try #require(tx[Item.self, "a"])
      try tx.delete(Item.self, "a")
      try tx.insert(item)
    }
    guard case .update(let moved, let move) = await changes.next() else { throw Failure("no change") }
    #expect(moved.map(\.id) == ["b", "c", "d", "a"])
    #expect(move.moves.map(\.id) == ["a"])
    #expect(move.deletions.isEmpty && move.insertions.isEmpty)
    await server.stop()
  }

  @Test("after a gap in the history gets what differs as one change, and nothing else")
  func gap() async throws {
    let store = try makeStore(history: 2)
    let server = RunningServer()
    let proxy = try CuttingProxy(SeededGenerator(1), cuttingWithin: .max)
    defer { proxy.end() }
    try await server.start(store)
    proxy.lead(to: server.port)
    let url = try #require(URL(string: "http://localhost:\(proxy.port)"))
    let follower = try await StoreFollower.connect(to: url, Item.self, Person.self, options: .ofTests)
    defer { follower.close() }
    var changes = follower.store.changes(of: Item.all, initial: .skip).makeAsyncIterator()
    let before = follower.store.snapshot()
    await server.stop()
    for count in 1...5 { try await store.write { tx in try tx.update(Item.self, "b") { $0.count = count } } }
    try await store.write { tx in try tx.delete(Item.self, "c") }
    try await store.write { tx in try tx.insert(Item(id: "new", text: "New")) }
    try await server.start(store)
    proxy.lead(to: server.port)
    guard case .update(let items, let change) = await changes.next() else { throw Failure("no change") }
    #expect(items.map(\.id) == ["a", "b", "d", "new"])
    #expect(change.modifications.map(\.id) == ["b"])
    #expect(Array(change.deletions) == [2])
    #expect(Array(change.insertions) == [3])
    try await follower.caughtUp(to: store.version)
    #expect(follower.status.snapshots == 2)
    // Rows that do not differ were not written.
    let difference = try follower.store.snapshot().difference(from: before)
    #expect(difference.changes(of: Item.self).map { $0.new?.id } == ["b", nil, "new"])
    #expect(difference.changes(of: Person.self).isEmpty)
    await server.stop()
  }

  @Test(
    "goes on after a cut with the difference, and connects again when its stream ends, which is no failure")
  func resume() async throws {
    let store = try makeStore()
    var limits = StreamLimits.ofTests
    (limits.streamDuration, limits.bookmarkInterval) = (.milliseconds(60), .milliseconds(20))
    let server = RunningServer(limits: limits)
    let proxy = try CuttingProxy(SeededGenerator(1), cuttingWithin: .max)
    defer { proxy.end() }
    try await server.start(store)
    proxy.lead(to: server.port)
    let url = try #require(URL(string: "http://localhost:\(proxy.port)"))
    let follower = try await StoreFollower.connect(to: url, Item.self, Person.self, options: .ofTests)
    defer { follower.close() }
    let connections = proxy.connections
    #expect(await eventually { proxy.connections >= connections + 3 })
    #expect(follower.status.failures == 0)
    await server.stop()
    try await store.write { tx in try tx.update(Item.self, "a") { $0.count = 1 } }
    try await server.start(store)
    proxy.lead(to: server.port)
    try await follower.caughtUp(to: store.version)
    #expect(follower.store[Item.self, "a"]?.count == 1)
    #expect(follower.status.snapshots == 1)
    #expect(follower.status.steps == 1)
    await server.stop()
  }

  @Test("connects again to a server that sends nothing")
  func silence() async throws {
    let store = try makeStore()
    let server = RunningServer()
    try await server.start(store)
    var options = FollowerOptions.ofTests
    options.silence = .seconds(1)
    let follower = try await connect(server, options)
    defer { follower.close() }
    #expect(await eventually { follower.status.failures > 0 })
    try await store.write { tx in try tx.update(Item.self, "a") { $0.count = 1 } }
    try await follower.caughtUp(to: store.version)
    #expect(follower.status.snapshots == 1)
    await server.stop()
  }

  @Test(
    "of another store that has the same objects sees no change, and does not wait for versions of the old one"
  )
  func otherIdentity() async throws {
    let store = try makeStore()
    let server = RunningServer()
    let proxy = try CuttingProxy(SeededGenerator(1), cuttingWithin: .max)
    defer { proxy.end() }
    try await server.start(store)
    proxy.lead(to: server.port)
    let url = try #require(URL(string: "http://localhost:\(proxy.port)"))
    let follower = try await StoreFollower.connect(to: url, Item.self, Person.self, options: .ofTests)
    defer { follower.close() }
    let version = follower.store.version
    let wait = Task { try await follower.caughtUp(to: Version(1_000)) }
    await server.stop()
    let copy = Store(copying: store.snapshot())
    // A version of the next store, whose server the follower has not found yet.
    let next = Task { try await follower.caughtUp(to: copy.version, of: copy.identity) }
    try await server.start(copy)
    proxy.lead(to: server.port)
    let error = await #expect(throws: FollowerError.self) { try await wait.value }
    #expect(error?.code == .otherStore)
    try await next.value
    #expect(follower.status.identity == copy.identity)
    let former = await #expect(throws: FollowerError.self) {
      try await follower.caughtUp(to: Version(0), of: store.identity)
    }
    #expect(former?.code == .otherStore)
    try await follower.caughtUp(to: copy.version, of: copy.identity)
    #expect(follower.store.version == version)
    await server.stop()
  }

  @Test("waits for a version until it has it")
  func caughtUp() async throws {
    let store = try makeStore()
    let server = RunningServer()
    try await server.start(store)
    let follower = try await connect(server)
    defer { follower.close() }
    for count in 1...20 {
      try await store.write { tx in try tx.update(Item.self, "a") { $0.count = count } }
      try await follower.caughtUp(to: store.version)
      #expect(follower.store[Item.self, "a"]?.count == count)
    }
    try await follower.caughtUp(to: store.version, of: store.identity)
    let cancelled = Task { try await follower.caughtUp(to: Version(1_000_000)) }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    await server.stop()
  }

  @Test("says what it does: it follows, loses the server, and is closed")
  func statuses() async throws {
    let store = try makeStore()
    let server = RunningServer()
    try await server.start(store)
    let follower = try await connect(server)
    #expect(follower.status.state == .following)
    #expect(follower.status.version == store.version)
    #expect(follower.status.identity == store.identity)
    #expect(follower.status.lag == .zero)
    var statuses = follower.statuses.makeAsyncIterator()
    #expect(await statuses.next()?.state == .following)
    await server.stop()
    var status = await statuses.next()
    while status?.state == .following { status = await statuses.next() }
    guard case .disconnected(let error, _) = status?.state else { throw Failure("it does not say so") }
    #expect(error.code == .unreachable)
    #expect(follower.status.lag > .zero)
    follower.close()
    while let next = await statuses.next() { status = next }
    #expect(status?.state == .closed)
    let closed = await #expect(throws: FollowerError.self) { try await follower.caughtUp(to: Version(99)) }
    #expect(closed?.code == .closed)
    #expect(follower.store.fetch(Item.all).count == 4)
  }
}

private enum Unlisted {
  /// Has the name of the server's entity.
  struct Author: Entity, Codable {
    let id: Int
    var name: String
    var born: Int?
    static let schema = Schema<Author> { \.name }
  }
}

@Suite("A follower that cannot connect", .timeLimit(.minutes(2)))
struct FollowerErrorTests {
  private func error<each Element: Entity & Decodable>(
    _ url: URL, _ types: repeat (each Element).Type, with change: (inout FollowerOptions) -> Void = { _ in }
  ) async -> FollowerError? {
    var options = FollowerOptions.ofTests
    change(&options)
    do {
      _ = try await StoreFollower.connect(to: url, repeat each types, options: options)
      return nil
    } catch {
      return error as? FollowerError
    }
  }

  @Test("says that there is no such entity, or no token, at once")
  func refusals() async throws {
    let store = try Store(Item.self, Person.self)
    let server = RunningServer(token: "secret")
    try await server.start(store)
    #expect(await error(try server.url, Item.self, Person.self)?.code == .unauthorized)
    #expect(await error(try server.url, Item.self, Person.self) { $0.token = "other" }?.code == .unauthorized)
    let missing = await error(try server.url, Item.self, Person.self, Author.self) { $0.token = "secret" }
    #expect(missing?.code == .notFound)
    #expect(missing?.status == 404)
    #expect(
      await error(try server.url, Item.self, Person.self) { ($0.token, $0.path) = ("secret", "api") }?.code
        == .notFound)
    #expect(await error(try server.url, Item.self, Person.self) { $0.token = "secret" } == nil)
    await server.stop()
  }

  @Test("says which member of which entity does not fit, and has nothing")
  func otherFields() async throws {
    let store = try Store(Author.self)
    try await store.write { tx in try tx.insert(Author(id: 1, name: "Ann")) }
    let server = RunningServer()
    try await server.start(
      try StoreServer(store, logger: .silent) { Expose(Author.self, fields: [\.name]) })
    let error = await error(try server.url, Author.self)
    #expect(error?.code == .undecodable)
    #expect(error?.message.contains("\"id\" is missing") == true)
    await server.stop()
  }

  @Test("says which property the entity has here and its schema does not list")
  func otherSchema() async throws {
    let store = try Store(Author.self)
    try await store.write { tx in try tx.insert(Author(id: 1, name: "Ann")) }
    let server = RunningServer()
    try await server.start(try StoreServer(store, logger: .silent) { Expose(Author.self) })
    let error = await error(try server.url, Unlisted.Author.self)
    #expect(error?.code == .undecodable)
    #expect(error?.message.contains("born") == true)
    await server.stop()
  }

  @Test("tries until its time for the first snapshot is over")
  func noServer() async throws {
    let proxy = try CuttingProxy(SeededGenerator(1), cuttingWithin: 10)
    let url = try #require(URL(string: "http://localhost:\(proxy.port)"))
    let error = await error(url, Author.self) { $0.firstSnapshotTimeout = .seconds(3) }
    #expect(error?.code == .unreachable)
    proxy.end()
  }

  @Test(
    "says that a URL leads to no server", arguments: ["ftp://localhost", "http:", "http://localhost?x=1"])
  func urls(text: String) async throws {
    #expect(await error(try #require(URL(string: text)), Author.self)?.code == .refused)
  }
}

@Suite("A follower that ends", .timeLimit(.minutes(2)))
struct FollowerStopTests {
  @Test("is closed when its store is")
  func closedStore() async throws {
    let store = try Store(Item.self, Person.self)
    let server = RunningServer()
    try await server.start(store)
    let follower = try await StoreFollower.connect(
      to: server.url, Item.self, Person.self, options: .ofTests)
    follower.store.close()
    try await store.write { tx in try tx.insert(Person(id: 1, name: "Ann")) }
    let error = await #expect(throws: FollowerError.self) { try await follower.caughtUp(to: store.version) }
    #expect(error?.code == .closed)
    #expect(follower.status.state == .closed)
    await server.stop()
  }

  @Test("stops at a row that cannot be decoded, and applies no part of its commit")
  func undecodable() async throws {
    let store = try Store(Item.self, Person.self)
    try await store.write { tx in try tx.insert(Person(id: 1, name: "Ann")) }
    let server = RunningServer()
    try await server.start(store)
    let follower = try await StoreFollower.connect(to: server.url, Item.self, Person.self, options: .ofTests)
    defer { follower.close() }
    // Foundation's decoder would be slow with it; the library refuses such letters.
    let marks = "e" + String(repeating: "\u{301}", count: 2_000)
    try await store.write { tx in
      try tx.update(Person.self, 1) { $0.name = "Bea" }
      try tx.insert(Person(id: 2, name: marks))
    }
    let error = await #expect(throws: FollowerError.self) { try await follower.caughtUp(to: store.version) }
    #expect(error?.code == .undecodable)
    #expect(follower.status.state == .stopped(try #require(error)))
    #expect(follower.store.fetch(Person.all).map(\.name) == ["Ann"])
    await server.stop()
  }
}
