/// The objects of a file as they were before a step of a migration.
public struct MigrationSource: ~Copyable {
  private let tables: MigrationTables

  init(_ tables: MigrationTables) { self.tables = tables }

  /// The names of the entities.
  public var entities: [String] { tables.before.tables.keys.sorted() }

  /// How many objects an entity has; 0 if there is no such entity.
  public func count(_ entity: String) -> Int { tables.before.tables[entity]?.rows ?? 0 }

  /// Calls a body with each object of an entity, in insertion order.
  ///
  /// - Parameters:
  ///   - entity: its name.
  ///   - body: may change tables, also this one: what is read is what was there before the step.
  /// - Throws: `invalidMigration` if there is no such entity; what the body throws.
  /// - Complexity: O(*n*) for *n* objects, of which some are in memory at a time.
  public func forEach(_ entity: String, _ body: (MigrationRow) throws -> Void) throws {
    try tables.forEach(entity, isOld: true, body)
  }
}

/// Changes the objects of a file in a step of a migration.
///
/// Entities and properties are named as in the file. Uniqueness and links are judged when all steps have run.
public struct MigrationTransaction: ~Copyable {
  private let tables: MigrationTables

  init(_ tables: MigrationTables) { self.tables = tables }

  /// Changes each object of an entity.
  ///
  /// ```swift
  /// try tx.update("Post") { post in
  ///   try post.set("slug", to: post.value("title", as: String.self).lowercased())
  /// }
  /// ```
  /// - Throws: `invalidMigration` if there is no such entity; `mismatch` if a property that is new cannot have its name;
  ///   what the body throws. Objects before that are changed.
  /// - Complexity: O(*n* log *n*) for *n* objects.
  public mutating func update(_ entity: String, _ body: (inout MigrationRow) throws -> Void) throws {
    try tables.update(entity, body)
  }

  /// Adds an object, behind the others of its entity, which may be new.
  ///
  /// - Parameters:
  ///   - entity: its name.
  ///   - body: sets the properties, the id among them.
  /// - Throws: `invalidMigration` if an entity that is new cannot have the name; `mismatch` if a property that is new
  ///   cannot; what the body throws. Then nothing is added.
  /// - Complexity: O(log *n*) for *n* objects; O(*n*) for the first change of an entity in a step, which copies it.
  public mutating func insert(_ entity: String, _ body: (inout MigrationRow) throws -> Void) throws {
    try tables.insert(entity, body)
  }

  /// Deletes objects of an entity.
  ///
  /// - Returns: how many there were.
  /// - Throws: `invalidMigration` if there is no such entity; what the condition throws. Objects before that are deleted.
  /// - Complexity: O(*n* log *n*) for *n* objects.
  @discardableResult
  public mutating func delete(_ entity: String, where condition: (MigrationRow) throws -> Bool) throws -> Int
  {
    try tables.delete(entity, where: condition)
  }

  /// Deletes an entity with all its objects.
  ///
  /// - Throws: `invalidMigration` if there is none.
  /// - Complexity: O(1) before another change of the entity in the step: the table is kept until its end. Otherwise O(*n*)
  ///   for *n* objects.
  public mutating func deleteEntity(_ entity: String) throws { try tables.deleteEntity(entity) }

  /// Gives an entity another name.
  ///
  /// - Throws: `invalidMigration` if there is none, the new name cannot be one of an entity, or there is an entity of that
  ///   name that has objects.
  /// - Complexity: O(*n* log *n*) for *n* objects, which are written again.
  public mutating func renameEntity(_ entity: String, to name: String) throws {
    try tables.rename(entity, to: name)
  }

  /// Gives a property another name.
  ///
  /// - Throws: `invalidMigration` if there is no such entity or property, another has the new name, also where case alone
  ///   differs, or it cannot be the name of a property.
  /// - Complexity: O(*n* log *n*) for *n* objects, which are written again, unless they are sealed.
  public mutating func renameProperty(_ property: String, of entity: String, to name: String) throws {
    try tables.renameProperty(property, to: name, of: entity)
  }

  /// Deletes a property with its values.
  ///
  /// - Throws: `invalidMigration` if there is no such entity or property.
  /// - Complexity: O(*n* log *n*) for *n* objects, which are written again.
  public mutating func removeProperty(_ property: String, of entity: String) throws {
    try tables.removeProperty(property, of: entity)
  }
}
