import Synchronization

extension Store {
  /// Returns when the handlers of all tokens have returned for everything committed before the call, and models have it;
  /// for tests, and before handing over to something that must see it.
  ///
  /// Paused tokens are not waited for. Nor are the bodies of `for await` loops, whose next event is ready by then: to wait
  /// for one, ask an iterator for its event (`await iterator.next()`), or let the loop say when it is done.
  /// - Throws: `CancellationError`.
  public func settled() async throws { try await settled(through: version) }

  /// Returns when the handlers of all tokens have been told of everything up to a version.
  ///
  /// - Throws: `CancellationError`.
  public func settled(through version: Version) async throws { try await engine.settle(through: version) }

  /// Figures of what the store does and holds; for tests, logs and finding what costs.
  public struct Metrics: Sendable {
    /// The newest version.
    public var version: Version
    /// Commits made.
    public var commits: Int
    /// Rows inserted, changed or deleted by them.
    public var rowsWritten: Int
    /// Versions alive: the newest, those in the history, and what snapshots, results and observers hold.
    public var versionsPinned: Int
    /// The oldest of them.
    public var oldestPinned: Version?
    /// Commits in the history.
    public var historyCommits: Int
    /// Results kept up to date; equal queries share one.
    public var liveQueries: Int
    /// Observers of them: streams and tokens.
    public var observers: Int
    /// How many versions each observer that has begun is behind, the farthest first.
    public var lags: [Int]
    /// Time spent keeping results up to date.
    public var upkeepTime: Duration
    /// Times a result was brought up to date.
    public var updates: Int
    /// Live queries that cannot be routed: asked about every change of their entity.
    public var unroutedQueries: Int
    /// Tests of changed rows by such queries.
    public var unroutedTests: Int
    /// Rows looked at because rows that they are linked with had changed.
    public var linkedTests: Int
    /// Times a result was evaluated anew, because most of its table had changed at once, or because a filter, an
    /// order or an equality contradicted itself.
    public var rebuilds: Int
    /// Insertions whose id had the hash of another.
    public var idCollisions: Int
  }

  /// Figures of what the store does and holds.
  ///
  /// - Complexity: O(observers + versions pinned).
  public var metrics: Metrics {
    let (state, commits, rows, history) = core.withLock {
      ($0.current, $0.commits, $0.rowsWritten, $0.history.count)
    }
    let pinned = pins.summary
    return engine.registry.withLock { registry in
      Metrics(
        version: state.version, commits: commits, rowsWritten: rows, versionsPinned: pinned.count,
        oldestPinned: pinned.oldest, historyCommits: history, liveQueries: registry.records.count,
        observers: registry.cursors.values.count { !$0.isEnded }
          + registry.watchers.values.count { !$0.isEnded },
        lags: registry.cursors.values.compactMap { cursor in
          cursor.isEnded ? nil : cursor.lag(registry.routed, newest: state.version, registry.records)
        }.sorted(by: >),
        upkeepTime: registry.statistics.upkeepTime, updates: registry.statistics.updates,
        unroutedQueries: registry.records.values.count { $0.isUnrouted },
        unroutedTests: registry.statistics.unroutedTests, linkedTests: registry.statistics.linkedTests,
        rebuilds: registry.statistics.rebuilds,
        idCollisions: state.tables.reduce(0) { $0 + $1.collisions })
    }
  }
}
