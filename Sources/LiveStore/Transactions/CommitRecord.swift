/// A commit: from one state to the next.
///
/// An object, as it passes through several hands on each commit: the history, recorders and the inbox.
package final class CommitRecord: Sendable {
  package let before: StoreState
  package let after: StoreState
  package let origin: String?
  package let deltas: [TableDelta]

  package let rowCount: Int

  init(before: StoreState, after: StoreState, origin: String?, deltas: [TableDelta]) {
    self.before = before
    self.after = after
    self.origin = origin
    self.deltas = deltas
    rowCount = deltas.reduce(0) { $0 + $1.count }
  }

  package var version: Version { after.version }
}
