// What inspections read of live queries.
//
// The registry's lock is left after some queries or observers, so that an inspection of very many delays no commit. What
// is read under the lock is copied; texts of filters, which may be user code, are made of the copies.

import Foundation
import Synchronization

/// A live query at a moment.
struct InspectedQuery: Sendable {
  let id: UInt64
  let key: QueryKey
  let trees: MaintainedTrees
  let isRouted: Bool
  let pendingSteps: Int
  let work: MaintainedQuery.Work
  let times: Recording.QueryTimes?
  var observers: [InspectedObserver] = []
  /// The versions that it holds to be brought up to date from there.
  let versions: [Version]
}

/// An observer at a moment.
struct InspectedObserver: Sendable {
  let id: UInt64
  let site: ObserverSite
  let version: Version?
  let lag: Int?
  let isPaused: Bool
  var excluded: Set<String> = []
  var offset = 0
  var limit: Int?
  /// The versions that it holds.
  var versions: [Version] = []
}

extension LiveEngine {
  /// Whether a timer has commits routed (L20).
  package var hasTimer: Bool { inbox.withLock { $0.hasTimer } }

  /// The live queries, oldest first.
  ///
  /// - Complexity: O(queries + observers).
  func inspectQueries(at newest: Version) -> [InspectedQuery] {
    let ids = registry.withLock { Array($0.queries.keys) }.sorted()
    let found = inspect(ids) { $0.inspect($1) }
    var queries = found.map(\.query)
    let observers = found.indices.flatMap { number in found[number].observers.map { (number, $0) } }
    let inspected = inspect(observers) { [queries] registry, observer in
      registry.inspect(observer.1, of: queries[observer.0].id, at: newest).map { (observer.0, $0) }
    }
    for (number, observer) in inspected { queries[number].observers.append(observer) }
    return queries
  }

  /// What the registry has of each element. Its lock is left after every few.
  private func inspect<Element: Sendable, Found: Sendable>(
    _ elements: [Element], _ look: @Sendable (Registry, Element) -> Found?
  ) -> [Found] {
    var found: [Found] = []
    found.reserveCapacity(elements.count)
    for start in stride(from: 0, to: elements.count, by: 64) {
      let part = elements[start..<min(start + 64, elements.count)]
      found += registry.withLock { registry in part.compactMap { look(registry, $0) } }
    }
    return found
  }

  /// A query that is still maintained.
  func key(ofQuery id: UInt64) -> QueryKey? { registry.withLock { $0.queries[id]?.key } }

  /// The observers of commits, oldest first; and the version up to which commits are routed.
  func inspectCommitObservers(at newest: Version) -> (observers: [InspectedObserver], routed: Version?) {
    let (ids, routed) = registry.withLock { ($0.commitSubscriberIDs, $0.routed?.version) }
    let observers = inspect(Array(ids)) { registry, id -> InspectedObserver? in
      guard let subscriber = registry.commitSubscribers[id], !subscriber.isEnded else { return nil }
      // It may have reached a version that was made after `newest` was read.
      let lag = subscriber.version < newest ? newest.number - subscriber.version.number : 0
      return InspectedObserver(
        id: id, site: subscriber.site, version: subscriber.version, lag: Int(clamping: lag),
        isPaused: subscriber.isPaused)
    }
    return (observers, routed)
  }

  /// The recorded commits, oldest first, with their dates; nil while nothing is recorded.
  func inspectCommits() -> [(commit: RecordedCommit, date: Date)]? {
    registry.withLock { $0.recording?.datedCommits }
  }
}

extension Registry {
  /// A query, with the ids of its observers, which are inspected later.
  fileprivate func inspect(_ id: UInt64) -> (query: InspectedQuery, observers: SubscriberList)? {
    guard let query = queries[id], let current = query.current else { return nil }
    let inspected = InspectedQuery(
      id: id, key: query.key, trees: current.trees, isRouted: !query.isUnrouted,
      pendingSteps: query.pending.count, work: query.work, times: recording?.times(of: id),
      versions: query.pending.map(\.old.version))
    return (inspected, query.cursors)
  }

  fileprivate func inspect(_ id: UInt64, of query: UInt64, at newest: Version) -> InspectedObserver? {
    guard let cursor = cursors[id], !cursor.isEnded else { return nil }
    var observer = InspectedObserver(
      id: cursor.id, site: cursor.site, version: cursor.version, lag: cursor.lag(routed, newest: newest),
      isPaused: cursor.isPaused, excluded: cursor.excluded, versions: cursor.heldVersions)
    if let number = cursor.maintained.firstIndex(where: { $0.id == query }), number < cursor.queries.count {
      (observer.offset, observer.limit) = (
        cursor.queries[number].last.offset, cursor.queries[number].last.limit
      )
    }
    return observer
  }
}

extension Cursor {
  /// The versions that it holds itself, not those of results that were delivered.
  fileprivate var heldVersions: [Version] {
    [position, previous?.position].flatMap { position -> [Version] in
      switch position {
      case .unattached(let state): state.map { [$0.version] } ?? []
      case .at(let results): results.compactMap(\.state?.version)
      case nil: []
      }
    } + excludedChanges.flatMap { [$0.old.version, $0.new.version] }
  }
}

extension QueryKey {
  /// The query in Swift syntax; of the last stage, the window is not part of it.
  ///
  /// Values that the query compares with are printed, which may be user code.
  func text(entity: String) -> String {
    let text = entity + writtenStages.map(\.description).joined()
    guard let form = grouping?.form else { return text }
    let key = form.key.map { key in if case .closure = key { key.description } else { "\\.\(key)" } }
    if form.kind == .sections { return text + ".sectioned(by: \(key ?? "?"))" }
    let value = form.value.map { "(\\.\($0))" } ?? ""
    return text + (key.map { ".grouped(by: \($0))" } ?? "") + ".\(form.kind)\(value)"
  }
  /// The stages without the orders that the grouping has added.
  var writtenStages: [QueryStage] {
    guard let kind = grouping?.form.kind else { return stages }
    var written = stages
    while let last = written.last, written.count > 1, last.isOrderOnly { written.removeLast() }
    let last = written.count - 1
    if !written[last].hasWindow {
      let keys = written[last].order.keys
      let isOwn = kind == .sections && last == stages.count - 1
      written[last].order = RowOrder(keys: isOwn ? Array(keys.dropFirst()) : [])
    }
    return written
  }
}
