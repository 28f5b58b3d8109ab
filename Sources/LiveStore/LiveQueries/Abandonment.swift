import Synchronization

/// Whether nothing waits for a result any more, so that its evaluation may end (L17). It is set while other
/// threads evaluate.
final class Abandonment: Sendable {
  private let flag = Atomic(false)

  var isSet: Bool { flag.load(ordering: .relaxed) }

  func set() { flag.store(true, ordering: .relaxed) }

  func clear() { flag.store(false, ordering: .relaxed) }
}

extension LiveEngine {
  /// The observer of a cursor needs no more events, though the cursor is not released yet and may be polled.
  /// Evaluations for this cursor alone end.
  func abandon(_ id: UInt64) { registry.withLock { $0.abandon(id) } }
}

extension Registry {
  fileprivate mutating func abandon(_ id: UInt64) {
    guard let cursor = cursors[id] else { return }
    cursor.abandonment.set()
    for query in cursor.maintained where !isAwaited(query) { query.abandonment.set() }
  }

  /// Whether some observer waits for the result of a query.
  func isAwaited(_ query: MaintainedQuery) -> Bool {
    query.cursors.contains { cursors[$0]?.abandonment.isSet == false }
  }
}
