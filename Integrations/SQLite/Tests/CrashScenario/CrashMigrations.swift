package import LiveStoreSQLite

/// The migrations of the scenario: each writes all objects again.
package enum CrashMigrations {
  /// Those that lead from any earlier version of the schema to one.
  package static func through(_ revision: Int) -> [Migration] {
    (1..<max(1, revision)).map { number in
      Migration(from: number, to: number + 1) { _, tx in
        for entity in ["Entry", "Position"] {
          try tx.update(entity) { object in
            try object.set("revision", to: object.value("revision", as: Int.self) + 1)
          }
        }
      }
    }
  }
}
