public import Foundation
import Synchronization

/// A reactive in-memory store: objects in tables, immutable versions, live queries.
///
/// ```swift
/// let store = try Store(User.self, Post.self)
/// try await store.write { tx in try tx.insert(post) }
/// for await change in store.changes(of: Post.where { $0.likeCount >= 10 }) { … }
/// ```
/// A store is used from any thread and task. Reading never waits; writes are serial.
///
/// State: `core` holds the newest version and the history, guarded by its mutex, which is held for a few instructions
/// and never while user code runs. `writeLock` orders writers, `retryQueue` transactions that run again. `engine` has its own locks.
public final class Store: Sendable {
  /// How much history a store holds.
  public struct Configuration: Sendable {
    /// How many commits `commits(after:)` and `.everyCommit` can look back; 1,000 by default.
    public var historyCommits = 1_000
    /// How many changed rows these commits may have together; 100,000 by default.
    public var historyRows = 100_000
    /// Runs upkeep and delivery instead of the system's threads, so that a simulation controls their order.
    package var executor: (any TaskExecutor)?
    /// How long a blocking writer leaves the free write lock to a suspended one that was overtaken too often.
    package var writeYieldTime = Duration.milliseconds(10)
    /// The clock of recorded times.
    package var now: @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }

    /// The defaults.
    public init() {}
  }

  struct Core {
    var current: StoreState
    var history: History
    var isClosed = false
    /// Whether it is the store of another process, which alone writes to it.
    var isReadOnly = false
    var commits = 0
    var rowsWritten = 0
    /// The tables that only the holders of reservations write.
    var reservedTables: Set<Int> = []
    /// Called for every commit, under the write lock.
    var recorders: [ObjectIdentifier: @Sendable (CommitRecord) -> Void] = [:]
  }

  let core: Mutex<Core>
  package let writeLock: WriteLock
  package let retryQueue = RetryQueue()
  let pins: VersionPins
  package let engine: LiveEngine

  /// Makes an empty store of the given entities, in memory only: nothing is saved to disk.
  ///
  /// - Throws: `invalidSchema` when a schema or the list of entities is wrong.
  public convenience init<each Element: Entity>(
    _ types: repeat (each Element).Type, configuration: Configuration = Configuration()
  ) throws(StoreError) {
    var entities: [EntityInfo] = []
    for type in repeat each types { entities.append(try EntityInfo(type)) }
    let catalog = try Catalog(entities)
    self.init(
      ReadContext(catalog: catalog, tables: entities.map { TableState($0) }, version: 0), Version(0),
      configuration)
  }

  /// Makes a store with the content of a snapshot, for previews and fixtures.
  ///
  /// - Complexity: O(1); the two stores share everything that neither changes.
  public convenience init(copying snapshot: Snapshot, configuration: Configuration = Configuration()) {
    let context = snapshot.state.context
    self.init(
      ReadContext(
        catalog: Catalog(forCopyOf: context.catalog), tables: context.tables, version: context.version),
      snapshot.version, configuration)
  }

  init(
    _ context: ReadContext, _ version: Version, _ configuration: Configuration, isReadOnly: Bool = false
  ) {
    pins = VersionPins()
    let state = StoreState(version: version, context: context, pins: pins)
    let history = History(
      maximumCommits: max(0, configuration.historyCommits), maximumRows: max(0, configuration.historyRows))
    core = Mutex(Core(current: state, history: history, isReadOnly: isReadOnly))
    writeLock = WriteLock(yieldTime: configuration.writeYieldTime)
    engine = LiveEngine(state, configuration.executor, now: configuration.now)
  }

  deinit { engine.close() }

  /// The name of this store and no other, also when it continues in another process, as the store of a file
  /// does, or is read there. A copy has another identity.
  ///
  /// The identity and a version together name one state. Clients that keep versions or other data of a
  /// store keep its identity, too.
  public var identity: UUID { current.catalog.identity }

  /// The entities that the store was made with, in that order.
  ///
  /// ```swift
  /// print(store.entities)                      // [User, Post, Tag]
  /// ```
  public var entities: [any Entity.Type] { current.catalog.entities.map(\.type) }

  /// The newest version.
  public var version: Version { current.version }

  var current: StoreState { core.withLock { $0.current } }

  /// Whether two objects are equal for this store's observers.
  package func isSame<Element: Entity>(_ lhs: Element, _ rhs: Element) -> Bool {
    current.catalog.isSame(lhs, rhs)
  }

  /// The newest version of all tables, immutable.
  ///
  /// - Complexity: O(1); never waits for a writer's body.
  public func snapshot() -> Snapshot { Snapshot(current) }

  /// Ends all streams and tokens without an error. Snapshots stay readable; later writes and observations throw
  /// `closed`.
  ///
  /// Models keep their value, and their error is `closed`: for models of the main actor at once if this is called on
  /// it, for others soon after.
  public func close() {
    core.withLock { $0.isClosed = true }
    engine.close()
    if let actor = engine.models.writer(nil) { engine.models.update(on: actor) }
  }
}
