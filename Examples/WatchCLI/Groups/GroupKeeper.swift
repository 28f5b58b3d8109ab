package import Foundation
package import LiveStore

/// Keeps a store of groups up to date with objects.
///
/// State: the totals, in `members`, and `failure`, guarded by the actor.
package actor GroupKeeper {
  private var members: GroupMembers
  private let clock: @Sendable () -> Date
  /// Why the query of the objects has ended.
  package private(set) var failure: StoreError?
  /// The groups, each a document under the value that its objects share.
  package nonisolated let store: Store

  /// A keeper of no groups.
  ///
  /// - Parameters:
  ///   - rules: which changes of the input are taken in; nil for none, but a query's.
  ///   - clock: when objects arrive.
  package init(
    _ options: GroupOptions, of rules: GroupMembers.Rules? = nil,
    clock: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    self.clock = clock
    members = GroupMembers(
      GroupTotals(options, areKept: rules?.areKept ?? true),
      rules ?? GroupMembers.Rules(filter: nil, areKept: false))
    var configuration = Store.Configuration()
    configuration.historyCommits = 0
    store = try Store(Document.self, configuration: configuration)
  }

  /// Follows a query, as long as the token is held.
  package func follow(_ query: Query<Document>, of objects: Store) -> NotificationToken {
    objects.observe(query) { change in
      if case .error(let error) = change { self.failure = error }
      self.members.totals.apply(change)
      self.write()
    }
  }

  /// Takes in a result; `write` shows it.
  package func take(_ results: Results<Document>) {
    for document in results { members.totals.add(document, 1) }
  }

  /// Takes in changes of the input; `write` shows them.
  package func take(_ changes: [InputChange]) {
    members.totals.advance(to: clock())
    for change in changes { members.apply(change) }
  }

  /// Writes what the passing of time changes: where objects belong to the windows in which they arrive, the window of a
  /// date becomes the newest.
  package func advance(to date: Date) {
    members.totals.advance(to: date)
    write()
  }

  /// Lines about the objects that are in no window, if there are any.
  package var hints: [String] {
    guard let path = members.totals.options.every?.path else { return [] }
    let windows = members.totals.windows
    let reasons = [
      (windows.untimedCount, "without a time at \(path)"),
      (windows.lateCount, "older than the windows that are kept live"),
    ]
    return reasons.filter { $0.0 > 0 }.map { count, reason in
      Help.line(
        count == 1 ? "1 object \(reason) is in no window" : "\(count) objects \(reason) are in no window")
    }
  }

  /// Writes the groups that have changed.
  package func write() {
    let changes = members.totals.takeChanges()
    // A store of documents, to which nothing else is written, refuses nothing.
    if !changes.isEmpty { try? store.write { try $0.apply(changes) } }
  }
}
