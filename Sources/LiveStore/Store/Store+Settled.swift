import Synchronization

extension Store {
  /// Returns when all token handlers have returned for everything committed before the call, and models show
  /// it. Use it in tests, and before calling code that must see the commits.
  ///
  /// Paused tokens are not waited for, nor are the bodies of `for await` loops, whose next event is ready by then. To
  /// wait for a loop, read its iterator (`await iterator.next()`), or let the loop signal when it is done.
  /// - Throws: `CancellationError`.
  public func settled() async throws { try await settled(through: version) }

  /// Returns when all token handlers have returned for everything up to a version.
  ///
  /// - Throws: `CancellationError`.
  public func settled(through version: Version) async throws { try await engine.settle(through: version) }

  /// Figures about a store's work and memory, for tests, logs and diagnosing costs.
  public struct Metrics: Sendable, Hashable, Codable {
    /// The newest version.
    public var version: Version
    /// Commits made.
    public var commits: Int
    /// Rows inserted, changed or deleted by commits.
    public var rowsWritten: Int
    /// Live versions: the newest, those in the history, and those that snapshots, results and observers hold.
    public var versionsPinned: Int
    /// The oldest live version.
    public var oldestPinned: Version?
    /// Commits in the history.
    public var historyCommits: Int
    /// Maintained results; equal queries share one.
    public var liveQueries: Int
    /// Observers: streams and tokens.
    public var observers: Int
    /// How many versions each started observer is behind, the farthest first.
    public var lags: [Int]
    /// Time spent on upkeep of results.
    public var upkeepTime: Duration
    /// How often a result was brought up to date.
    public var updates: Int
    /// Live queries that cannot be routed: each change of their entity is tested against them.
    public var unroutedQueries: Int
    /// Tests of changed rows by queries that cannot be routed.
    public var unroutedTests: Int
    /// Rows tested because rows linked with them had changed.
    public var linkedTests: Int
    /// How often a result was evaluated again, because most of its table had changed at once, or because of an
    /// inconsistent filter, `<` or `==`.
    public var rebuilds: Int
    /// Insertions whose id had the hash of another id.
    public var idCollisions: Int
  }

  /// Figures about the store's work and memory.
  ///
  /// - Complexity: O(observers + versions pinned).
  public var metrics: Metrics {
    let (state, commits, rows, history) = core.withLock {
      ($0.current, $0.commits, $0.rowsWritten, $0.history.count)
    }
    let pinned = pins.summary
    var metrics = engine.registry.withLock { registry in
      Metrics(
        version: state.version, commits: commits, rowsWritten: rows, versionsPinned: pinned.count,
        oldestPinned: pinned.oldest, historyCommits: history, liveQueries: registry.queries.count,
        observers: registry.cursors.values.count { !$0.isEnded }
          + registry.commitSubscribers.values.count { !$0.isEnded },
        lags: registry.cursors.values.compactMap { cursor in
          cursor.isEnded ? nil : cursor.lag(registry.routed, newest: state.version)
        },
        upkeepTime: registry.statistics.upkeepTime, updates: registry.statistics.updates,
        unroutedQueries: registry.queries.values.count { $0.isUnrouted },
        unroutedTests: registry.statistics.unroutedTests, linkedTests: registry.statistics.linkedTests,
        rebuilds: registry.statistics.rebuilds,
        idCollisions: state.tables.reduce(0) { $0 + $1.collisions })
    }
    metrics.lags.sort(by: >)
    return metrics
  }
}
