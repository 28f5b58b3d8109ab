import Foundation
import Synchronization

extension Store {
  /// What the store holds, runs and costs now.
  ///
  /// ```swift
  /// for query in store.inspection.queries { print(query.number, query.text, query.results) }
  /// ```
  /// Taking it waits for no writer's body and no upkeep, and no lock is held while code of the app runs: the texts of
  /// filters print the values that they compare with. Times are among it while a ``TimingRecording`` lives.
  /// - Complexity: O(*e* log *n*) for *e* properties and indexes of all entities, and O(queries + observers + versions
  ///   alive); a query has the cost of its text.
  public var inspection: StoreInspection {
    let (state, history) = core.withLock { ($0.current, $0.history.versions) }
    let catalog = state.catalog
    let queries = engine.inspectQueries(at: state.version)
    let (commitObservers, routed) = engine.inspectCommitObservers(at: state.version)
    let commits = engine.inspectCommits()
    // Versions that were made meanwhile are not of this inspection.
    var pins = PinTable(alive: pins.versions.filter { $0 <= state.version })
    pins.add(state.version, .init(kind: .newest))
    if let history { pins.add(history, .init(kind: .history)) }
    if let routed, routed != state.version { pins.add(routed, .init(kind: .upkeep)) }
    for query in queries {
      for version in query.versions { pins.add(version, .init(kind: .upkeep, query: Int(query.id))) }
      for observer in query.observers {
        let holder = StoreInspection.PinHolder(
          kind: .observer, query: Int(query.id), observer: Int(observer.id))
        for version in observer.versions { pins.add(version, holder) }
      }
    }
    return StoreInspection(
      identity: catalog.identity, version: state.version, date: Date(), isRecording: commits != nil,
      metrics: metrics,
      entities: zip(catalog.entities, state.tables).map { StoreInspection.EntityReport($0, $1) },
      queries: queries.map { StoreInspection.QueryReport($0, catalog) },
      commitObservers: commitObservers.map { StoreInspection.ObserverReport($0) },
      commits: (commits ?? []).map { StoreInspection.CommitReport($0.commit, $0.date, catalog) },
      pins: pins.ranges)
  }

  /// How a live query would be evaluated now, in one line; see ``Query/explain(in:)``.
  ///
  /// ```swift
  /// for query in store.inspection.queries { print(store.plan(ofQuery: query.number) ?? "not observed any more") }
  /// ```
  /// - Parameter number: the query's ``StoreInspection/QueryReport/number``.
  /// - Returns: nil if the query is not observed any more.
  /// - Complexity: that of planning the query, O(log *n*) for most; for a ``DynamicEntity`` it looks at all objects.
  public func plan(ofQuery number: Int) -> String? {
    guard let id = UInt64(exactly: number), let key = engine.key(ofQuery: id) else { return nil }
    let snapshot = snapshot()
    func plan<Element: Entity>(_: Element.Type) -> String {
      Query<Element>(stages: key.writtenStages).explain(in: snapshot)
    }
    return plan(snapshot.state.catalog.entities[key.table].type) + (key.grouping?.form.explanation ?? "")
  }
}

extension Grouping.Form {
  /// What follows the plan of the rows.
  fileprivate var explanation: String {
    let value = value.map { "(\\.\($0))" } ?? ""
    return switch (kind, key) {
    case (.sections, let key): ", in sections by \(key.map { "\($0)" } ?? "?")"
    case (_, let key?): ", grouped by \(key).\(kind)\(value)"
    case (_, nil): ", then.\(kind)\(value)"
    }
  }
}

extension StoreInspection.QueryReport {
  fileprivate init(_ query: InspectedQuery, _ catalog: Catalog) {
    let entity = catalog.entities[query.key.table].name
    let times = query.times
    self.init(
      number: Int(query.id), entity: entity, text: query.key.text(entity: entity), results: query.trees.count,
      isRouted: query.isRouted, pendingSteps: query.pendingSteps,
      observers: query.observers.map { StoreInspection.ObserverReport($0) }, updates: query.work.updates,
      rebuilds: query.work.rebuilds, rowsTested: query.work.rowsTested, rowsChanged: query.work.rowsChanged,
      lastEvent: times?.lastEvent.map { StoreInspection.EventReport($0.version, $0.date, $0.counts) },
      upkeep: times.flatMap { StoreInspection.Timings($0.upkeep) },
      delivery: times.flatMap { StoreInspection.Timings($0.delivery) })
  }
}

extension StoreInspection.EventReport {
  fileprivate init(_ version: Version, _ date: Date, _ counts: ChangeCounts) {
    self.init(
      version: version, date: date, deletions: counts.deletions, insertions: counts.insertions,
      modifications: counts.modifications, moves: counts.moves)
  }
}

extension StoreInspection.Timings {
  /// Nil if nothing was measured.
  fileprivate init?(_ counts: DurationCounts) {
    if counts.count == 0 { return nil }
    self.init(
      count: counts.count, p50: counts.percentile(0.5), p95: counts.percentile(0.95), longest: counts.longest)
  }
}

extension StoreInspection.ObserverReport {
  fileprivate init(_ observer: InspectedObserver) {
    let kind: Kind =
      switch observer.site.kind {
      case .token: .token
      case .stream: .stream
      case .model: .model
      }
    self.init(
      number: Int(observer.id), kind: kind, location: observer.site.location, version: observer.version,
      lag: observer.lag, isPaused: observer.isPaused, excludedOrigins: observer.excluded.sorted(),
      offset: observer.offset, limit: observer.limit)
  }
}

extension StoreInspection.CommitReport {
  fileprivate init(_ commit: RecordedCommit, _ date: Date, _ catalog: Catalog) {
    self.init(
      version: commit.version, date: date, origin: commit.origin,
      rows: Dictionary(commit.rows.map { (catalog.entities[$0.table].name, $0.count) }, uniquingKeysWith: +),
      body: commit.body, commit: commit.commit)
  }
}
