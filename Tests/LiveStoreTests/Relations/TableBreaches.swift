import LiveStore
import Testing

extension Snapshot {
  /// What is wrong with the ids, indexes and links of its tables; nil when nothing is.
  func breachOfTables() throws -> String? {
    for (table, info) in zip(state.tables, state.catalog.entities) {
      if let breach = table._checkInvariants(info) { return breach }
    }
    return nil
  }
}

/// An expectation that may throw; the macro's hides that from the closure it stands in.
func expectTrue(_ isTrue: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(isTrue, sourceLocation: sourceLocation)
}
