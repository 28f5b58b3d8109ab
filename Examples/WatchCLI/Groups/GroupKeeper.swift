package import Foundation
package import LiveStore
import Synchronization

/// Keeps a store of groups up to date with objects.
package final class GroupKeeper: Sendable {
  private struct State {
    var members: GroupMembers
    /// The changes of a query of the objects, if that is followed.
    var changes: LiveChanges<CollectionChange<Document>>.Iterator?
    var failure: StoreError?
  }

  private let state: Mutex<State>
  private let clock: @Sendable () -> Date
  /// The groups, each a document under the value that its objects share.
  package let store: Store

  /// Why the query of the objects has ended.
  package var failure: StoreError? { state.withLock { $0.failure } }

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
    state = Mutex(
      State(
        members: GroupMembers(
          GroupTotals(options, areKept: rules?.areKept ?? true),
          rules ?? GroupMembers.Rules(filter: nil, areKept: false))))
    var configuration = Store.Configuration()
    configuration.historyCommits = 0
    store = try Store(Document.self, configuration: configuration)
  }

  /// From now on, `update` takes in the result of a query and its changes.
  package func follow(_ query: Query<Document>, of objects: Store) {
    state.withLock { $0.changes = objects.changes(of: query).makeAsyncIterator() }
  }

  /// Takes in changes of the input; `update` shows them.
  package func take(_ changes: [InputChange]) {
    state.withLock { state in
      state.members.totals.advance(to: clock())
      for change in changes { state.members.apply(change) }
    }
  }

  /// Writes the groups that have changed since it was last called.
  package func update() {
    state.withLock { state in
      while let change = state.changes?.nextIfReady() {
        if case .error(let error) = change { state.failure = error }
        state.members.totals.apply(change)
      }
      write(&state)
    }
  }

  /// Writes what the passing of time changes: where objects belong to the windows in which they arrive, the window of a
  /// date becomes the newest.
  package func advance(to date: Date) {
    state.withLock { state in
      state.members.totals.advance(to: date)
      write(&state)
    }
  }

  private func write(_ state: inout State) {
    let changes = state.members.totals.takeChanges()
    // A store of documents, to which nothing else is written, refuses nothing.
    if !changes.isEmpty { try? store.write { try $0.apply(changes) } }
  }

  /// Lines about the objects that are in no window, if there are any.
  package var hints: [String] {
    let totals = state.withLock { $0.members.totals }
    guard let path = totals.options.every?.path else { return [] }
    let windows = totals.windows
    let reasons = [
      (windows.untimedCount, "without a time at \(path)"),
      (windows.lateCount, "older than the windows that are kept live"),
    ]
    return reasons.filter { $0.0 > 0 }.map { count, reason in
      Help.line(
        count == 1 ? "1 object \(reason) is in no window" : "\(count) objects \(reason) are in no window")
    }
  }
}
