/// A commit: from one state to the next.
package struct CommitRecord: Sendable {
  package let before: StoreState
  package let after: StoreState
  package let origin: String?
  package let deltas: [TableDelta]

  package var version: Version { after.version }
  package var rowCount: Int { deltas.reduce(0) { $0 + $1.count } }
}
