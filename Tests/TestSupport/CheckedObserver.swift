package import LiveStore
import Synchronization

/// Receives the events of one observer and notes every breach of the law of change sets.
///
/// - The first event is the initial one, unless it was skipped, and none comes after an error.
/// - An update starts from what was given last, leads to a newer version and is not empty.
/// - Deletions and moves taken out of `previous`, insertions and moves put in, and modifications replaced
///   give `current`.
package final class CheckedObserver<Element: Entity & Equatable>: Sendable {
  private struct State {
    var rows: [Element]?
    var version: Version?
    var breaches: [String] = []
    var events = 0
    var running = 0
    var error: StoreError?
  }

  private let state: Mutex<State>
  private let receivesAll: Bool

  /// - Parameters:
  ///   - start: what the observer has, if it has not begun with an initial event.
  ///   - receivesAll: false for one that excludes origins: its `previous` has the excluded edits in it.
  package init(startingFrom start: Results<Element>? = nil, receivesAll: Bool = true) {
    self.receivesAll = receivesAll
    state = Mutex(State(rows: start.map(Array.init), version: start?.version))
  }

  /// What is wrong with the events, empty if nothing is.
  package var breaches: [String] { state.withLock { $0.breaches } }
  package var rows: [Element]? { state.withLock { $0.rows } }
  package var version: Version? { state.withLock { $0.version } }
  package var eventCount: Int { state.withLock { $0.events } }
  package var error: StoreError? { state.withLock { $0.error } }

  /// Takes an event in. Overlapping calls are a breach too.
  package func receive(_ change: CollectionChange<Element>) {
    state.withLock { state in
      state.running += 1
      if state.running > 1 { state.breaches.append("two events at once") }
    }
    let (before, error, events) = state.withLock { ($0.rows, $0.error, $0.events) }
    var breaches: [String] = []
    if error != nil { breaches.append("an event after the last one") }
    switch change {
    case .initial:
      if before != nil || events > 0 { breaches.append("an initial event that is not the first") }
    case .update(let results, let changes):
      breaches += self.breaches(of: changes, leadingTo: results, from: before)
    case .error: break
    }
    let results = change.results
    let rows = results.map(Array.init)
    state.withLock { state in
      state.running -= 1
      state.events += 1
      if let results {
        if case .update = change, let version = state.version, results.version <= version {
          breaches.append("version \(results.version) after \(version)")
        }
        state.rows = rows
        state.version = results.version
      }
      if case .error(let error) = change { state.error = error }
      state.breaches += breaches
    }
  }

  private func breaches(
    of changes: ChangeSet<Element>, leadingTo results: Results<Element>, from before: [Element]?
  ) -> [String] {
    var breaches: [String] = []
    if changes.isEmpty { breaches.append("an empty event") }
    if !changes.current.elementsEqual(results) { breaches.append("current is not the result") }
    guard let before else { return breaches + ["an update without a start"] }
    if receivesAll, !changes.previous.elementsEqual(before) {
      breaches.append("does not start from what was given last")
    }
    let current = Array(results)
    var rows = Array(changes.previous)
    let leaving = changes.deletions + changes.moves.map(\.from)
    let coming = changes.insertions + changes.moves.map(\.to)
    for index in leaving.sorted(by: >) where rows.indices.contains(index) { rows.remove(at: index) }
    for index in coming.sorted() where index <= rows.count && index < current.count {
      rows.insert(current[index], at: index)
    }
    for modification in changes.modifications where rows.indices.contains(modification.newIndex) {
      rows[modification.newIndex] = modification.new
    }
    if rows != current { breaches.append("the change set does not lead from previous to current") }
    return breaches
  }
}
