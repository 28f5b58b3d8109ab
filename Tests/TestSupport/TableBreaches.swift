package import LiveStore

extension Snapshot {
  /// What is wrong with the ids, indexes and links of its tables; nil when nothing is.
  package func breachOfTables() throws -> String? {
    for (table, info) in zip(state.tables, state.catalog.entities) {
      if let breach = table._checkInvariants(info) { return breach }
    }
    return nil
  }
}
