/// The list of an app's migrations: what happened to its entities, in the order in which it did (X10).
struct MigrationPlan: Sendable {
  /// The newest version of the schema.
  private(set) var schema = 1
  /// The list, in its order.
  private(set) var list: [Migration.Kind] = []

  /// - Throws: `invalidMigration` if two steps start at one version, one does not lead to a later one, or they are not in
  ///   the order of their versions, and if a name is not one that a file may have.
  init(_ migrations: [Migration]) throws(StoreFileError) {
    var starts: Set<Int> = []
    for migration in migrations {
      switch migration.kind {
      case .step(let from, let to, _):
        guard from >= 1, to > from else {
          throw StoreFileError(
            .invalidMigration,
            "A migration leads from version \(from) to \(to). It has to lead from 1 or more to a later version."
          )
        }
        guard starts.insert(from).inserted else {
          throw StoreFileError(.invalidMigration, "Two migrations start at version \(from) of the schema.")
        }
        if let last = starts.max(), last > from {
          throw StoreFileError(
            .invalidMigration,
            "The migration from version \(from) stands after one from \(last). The list is applied in its order: append, never reorder."
          )
        }
        schema = max(schema, to)
      case .invalid(let error): throw error
      case .renamedEntity, .renamedProperty, .addedProperty: try Self.requireReadable(migration.kind.change)
      }
      list.append(migration.kind)
    }
  }

  /// A file says which changes it has passed, and is opened only if all their names can be read.
  private static func requireReadable(_ change: SchemaChange?) throws(StoreFileError) {
    let names = [change?.entity, change?.property, change?.newName].compactMap(\.self)
    if names.allSatisfy(TableNames.isReadable) { return }
    throw StoreFileError(
      .invalidMigration,
      "A name in a migration is longer than a megabyte or has a letter with more than \(TableNames.maximumMarks) marks."
    )
  }

  /// Has a new file begin at the end of the list.
  func describe(_ contents: inout FileContents) {
    contents.schema = schema
    contents.changes = list.compactMap(\.change)
  }

  /// What a file has not passed of the list.
  struct Remainder {
    /// The places in the list, ascending.
    var places: [Int] = []
    /// What the file has passed, and the list does not have.
    var unknown: [SchemaChange] = []
  }

  /// Finds what a file has not passed.
  ///
  /// - Throws: `newerSchema`; `migrationNeeded` if a step is missing.
  func remainder(_ contents: FileContents) throws(StoreFileError) -> Remainder {
    if contents.schema > schema {
      throw StoreFileError(
        .newerSchema,
        "The file has version \(contents.schema) of the schema, and this program knows versions to \(schema). Update the program."
      )
    }
    var remainder = Remainder(unknown: contents.changes)
    var version = contents.schema
    for (place, entry) in list.enumerated() {
      if case .step(let from, let to, _) = entry {
        guard from == version else { continue }
        version = to
      } else if let change = entry.change {
        let names = change.property == nil ? [change.entity] : self.names(of: change.entity)
        let found =
          remainder.unknown.firstIndex { $0.records(change, ofOne: [change.entity]) }
          ?? remainder.unknown.firstIndex { $0.records(change, ofOne: names) }
        if let found {
          remainder.unknown.remove(at: found)
          continue
        }
      }
      remainder.places.append(place)
    }
    for change in remainder.unknown {
      guard let newName = change.newName else { continue }
      throw StoreFileError(
        .newerSchema,
        "In the file, \(change.subject) has been renamed to \(newName), and this program's list of migrations does not have that. Update the program; renamings stay in the list.",
        table: change.entity)
    }
    if version < schema {
      throw StoreFileError(
        .migrationNeeded,
        "The file has version \(contents.schema) of the schema, and no migration starts at version \(version). The newest is \(schema)."
      )
    }
    return remainder
  }

  /// The names that an entity has or had, as the list says.
  private func names(of entity: String) -> Set<String> {
    var (names, count) = ([entity] as Set, 0)
    while count < names.count {
      count = names.count
      for case .renamedEntity(let name, let newName) in list where names.contains(newName) {
        names.insert(name)
      }
    }
    return names
  }

  /// What the added properties of an entity have, by their names of today, in objects without a value.
  func defaults(of entity: String) -> [String: CodedValue] {
    var defaults: [String: CodedValue] = [:]
    for entry in list {
      switch entry {
      case .addedProperty(let name, entity, let value): defaults[name] = value
      case .renamedProperty(let name, let newName, entity):
        if let value = defaults.removeValue(forKey: name) { defaults[newName] = value }
      default: break
      }
    }
    return defaults
  }
}
