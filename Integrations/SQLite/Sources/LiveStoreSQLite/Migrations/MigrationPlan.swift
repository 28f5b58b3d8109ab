/// The migrations of an app: steps by the version that they start at, and renamed and added properties.
struct MigrationPlan: Sendable {
  /// The newest version of the schema.
  private(set) var schema = 1
  private(set) var changes: [Migration.Kind] = []
  private var steps: [Int: (to: Int, body: Migration.Body)] = [:]

  /// - Throws: `invalidMigration` if two steps start at one version, or one does not lead to a later one.
  init(_ migrations: [Migration]) throws(StoreFileError) {
    for migration in migrations {
      switch migration.kind {
      case .step(let from, let to, let body):
        guard from >= 1, to > from else {
          throw StoreFileError(
            .invalidMigration,
            "A migration leads from version \(from) to \(to). It has to lead from 1 or more to a later version."
          )
        }
        guard steps.updateValue((to, body), forKey: from) == nil else {
          throw StoreFileError(.invalidMigration, "Two migrations start at version \(from) of the schema.")
        }
        schema = max(schema, to)
      case .invalid(let error): throw error
      default: changes.append(migration.kind)
      }
    }
  }

  /// The steps from a version to the newest.
  ///
  /// - Throws: `newerSchema`; `migrationNeeded` if a step is missing.
  func steps(from version: Int) throws(StoreFileError) -> [(to: Int, body: Migration.Body)] {
    if version > schema {
      throw StoreFileError(
        .newerSchema,
        "The file has version \(version) of the schema, and this program knows versions to \(schema). Update the program."
      )
    }
    var (result, current) = ([] as [(to: Int, body: Migration.Body)], version)
    while current < schema {
      guard let step = steps[current] else {
        throw StoreFileError(
          .migrationNeeded,
          "The file has version \(version) of the schema, and no migration starts at version \(current). The newest is \(schema)."
        )
      }
      result.append(step)
      current = step.to
    }
    return result
  }
}
