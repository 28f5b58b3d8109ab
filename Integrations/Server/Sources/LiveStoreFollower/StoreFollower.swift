public import Foundation
public import LiveStore

/// A store that follows one of another process, as its `StoreServer` shows it.
///
/// ```swift
/// let follower = try await StoreFollower.connect(to: url, Post.self, User.self)
/// for await change in follower.store.changes(of: Post.where { $0.likeCount > 10 }) { … }
/// ```
/// ``store`` has the objects of the server with the same ids, in the same order, and is a store like any other, except that none
/// but the follower writes to it. Each step is one commit, with the server's origin: a version of the server, or some that were
/// merged, never a part of one. After a cut the follower goes on where it was; where the server's history does not reach back so
/// far, what differs comes as one commit, and observers see only that.
///
/// It follows as long as it is held, and until it is closed.
public final class StoreFollower: Sendable {
  private let engine: FollowerEngine

  private init(_ engine: FollowerEngine) { self.engine = engine }

  deinit { engine.close() }

  /// Connects to a server, and returns once the store has its objects.
  ///
  /// ```swift
  /// let follower = try await StoreFollower.connect(to: URL(filePath: "/run/app/store.sock"), Post.self)
  /// ```
  /// - Parameters:
  ///   - url: where the server is: `http:`, `https:`, or the file of a Unix socket.
  ///   - types: the entities, which the server exposes as whole objects (`Expose(Post.self)`), and which are declared here as
  ///     they are there.
  ///   - options: how to connect.
  /// - Throws: ``FollowerError``: `notFound`, `unauthorized`, `refused`, `undecodable` at once; errors of the connection once the
  ///   time for the first snapshot is over. `StoreError.invalidSchema` for entities that make no store. `CancellationError`.
  /// - Complexity: O(*n* log *n*) for *n* objects.
  public static func connect<each Element: Entity & Decodable>(
    to url: URL, _ types: repeat (each Element).Type, options: FollowerOptions = FollowerOptions()
  ) async throws -> StoreFollower {
    let store = try Store(repeat each types, configuration: options.store)
    var entities: [any FollowedEntity] = []
    var names: [any Entity.Type] = []
    for type in repeat each types {
      entities.append(try EntityRows(type))
      names.append(type)
    }
    let address = try FollowerAddress(url, path: options.path, entities.map(\.name))
    let reservation = try store.reserveWrites(to: names)
    let engine = FollowerEngine(store, options)
    let loop = FollowerLoop(engine, reservation, entities, address)
    engine.start { await loop.run() }
    let follower = StoreFollower(engine)
    let timeout = Task {
      try await Task.sleep(for: options.firstSnapshotTimeout)
      engine.giveUp()
    }
    defer { timeout.cancel() }
    do {
      try await follower.caughtUp(to: Version(0))
    } catch {
      follower.close()
      throw error
    }
    return follower
  }

  /// The store with the server's objects. Writing to it throws `readOnly`.
  public var store: Store { engine.store }

  /// How far the follower is.
  public var status: FollowerStatus { engine.status }

  /// How far the follower is, from now on; a slow reader gets the newest alone.
  ///
  /// ```swift
  /// for await status in follower.statuses { print(status.state, status.lag) }
  /// ```
  public var statuses: AsyncStream<FollowerStatus> { engine.statuses }

  /// Waits until the store has a version of the server, or a later one: so that a client sees what it has written itself.
  ///
  /// ```swift
  /// let version = try await api.rename(post)          // the version that the server's `write` made
  /// try await follower.caughtUp(to: version)
  /// ```
  /// - Parameters:
  ///   - version: the version.
  ///   - identity: the identity of the store that made it (`Store.identity`), if it is known. A server that was started again may
  ///     have another store, whose versions are others; without an identity, only one that begins while this waits is noticed.
  /// - Throws: ``FollowerError``: `otherStore` if the server had that store, and has another one; the error for which the follower stopped; `closed`.
  ///   `CancellationError`.
  public func caughtUp(to version: Version, of identity: UUID? = nil) async throws {
    try await engine.caughtUp(to: version, of: identity)
  }

  /// Ends following, and closes the store: its streams end, and its snapshots stay readable.
  ///
  /// ```swift
  /// follower.close()
  /// ```
  public func close() { engine.close() }
}
