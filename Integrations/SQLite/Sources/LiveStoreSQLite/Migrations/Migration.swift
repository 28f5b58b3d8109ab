public import LiveStore

/// A change of the entities between versions of an app, and how the objects in a file follow it.
///
/// ```swift
/// let options = StoreFile.Options(migrations: [
///   .renamed("Person", to: User.self),
///   .renamed("headline", to: "title", in: Post.self),
///   .added("likeCount", to: Post.self, default: 0),
///   Migration(from: 1, to: 2) { old, tx in
///     try tx.update("User") { user in
///       let first = try user.value("first", as: String.self)
///       try user.set("name", to: "\(first) \(try user.value("last", as: String.self))")
///     }
///   },
/// ])
/// let file = try await StoreFile.open(at: url, User.self, Post.self, options: options)
/// ```
/// New entities, new optional properties, new to-many links, properties that are gone, and indexes need none. A property
/// that is not optional needs ``added(_:to:default:)``, a new name ``renamed(_:to:in:)``. Everything else is a step from
/// one version of the schema to the next. The newest version is the one that the last step leads to, 1 without steps.
///
/// The list is a history, and is applied in its order: **append, never reorder**, and remove nothing. What stands before a
/// step acts before it, what stands after it acts after it. A file records what it has passed: its version of the schema,
/// and each renaming and addition, also those that had nothing to do. None of them acts twice, so an earlier name can be
/// used again. A new file has passed all of the list. A program whose list lacks a renaming that the file has passed would
/// misread it, and is refused: `newerSchema`.
///
/// Entries name the types of today. When a type gets another name, the entries before follow it, and still concern what
/// had its earlier names then. Steps name entities and properties as they were in the file at that place of the list.
///
/// All of them are one transaction, together with the check of what they give: if one throws, or the objects break a rule
/// of their schemas, the file is as before, and a loss of power has it before or after.
public struct Migration: Sendable {
  /// What a step does: reads objects as they were before it, and changes them.
  public typealias Body =
    @Sendable (_ old: borrowing MigrationSource, _ tx: inout MigrationTransaction) throws -> Void

  enum Kind: Sendable {
    case step(from: Int, to: Int, Body)
    case renamedEntity(String, to: String)
    case renamedProperty(String, to: String, entity: String)
    case addedProperty(String, entity: String, CodedValue)
    case invalid(StoreFileError)

    /// What a file records of it; nil for a step, whose version it has.
    var change: SchemaChange? {
      switch self {
      case .renamedEntity(let name, let newName): SchemaChange(entity: name, newName: newName)
      case .renamedProperty(let name, let newName, let entity):
        SchemaChange(entity: entity, property: name, newName: newName)
      case .addedProperty(let name, let entity, _): SchemaChange(entity: entity, property: name)
      case .step, .invalid: nil
      }
    }
  }

  let kind: Kind

  /// A step from a version of the schema to a later one.
  ///
  /// In a step, entities and properties have the names that they have in the file at that version: their later types may
  /// be gone from the app.
  /// - Parameters:
  ///   - from: the version before, 1 or more.
  ///   - to: the version after, larger than that before.
  ///   - body: what it does. What it throws ends the opening, with the file as before.
  public init(from: Int, to: Int, _ body: @escaping Body) { kind = .step(from: from, to: to, body) }

  private init(_ kind: Kind) { self.kind = kind }

  /// An entity has another name than before.
  ///
  /// It acts once, and on nothing if the file has no entity of the name before. An entity of the new name gives way if it
  /// has no objects; if both have some, the error is `invalidMigration`.
  ///
  /// - Parameters:
  ///   - name: the name before.
  ///   - type: the entity now.
  public static func renamed(_ name: String, to type: any Entity.Type) -> Migration {
    Migration(.renamedEntity(name, to: "\(type)"))
  }

  /// A property has another name than before.
  ///
  /// It acts once, and on nothing if the file has no such property. If objects have values of both names, the error is
  /// `invalidMigration`.
  ///
  /// - Parameters:
  ///   - name: the coding key before.
  ///   - newName: the coding key now.
  ///   - type: the entity.
  public static func renamed(_ name: String, to newName: String, in type: any Entity.Type) -> Migration {
    Migration(.renamedProperty(name, to: newName, entity: "\(type)"))
  }

  /// A property is new and not optional: what objects have that were written before.
  ///
  /// They get the value once. Objects that an older app of the same schema writes afterwards have none, and are read with
  /// that of the last entry. An optional property of such an object is nil, and what was encoded as nil stays so.
  ///
  /// - Parameters:
  ///   - name: its coding key.
  ///   - type: the entity.
  ///   - value: the value of such objects, of the property's type.
  public static func added(
    _ name: String, to type: any Entity.Type, default value: some Encodable & Sendable
  ) -> Migration {
    do {
      let value = try ValueEncoder.readable(ValueEncoder.coded(value, at: []), at: [])
      return Migration(.addedProperty(name, entity: "\(type)", value))
    } catch {
      return Migration(
        .invalid(
          StoreFileError(
            .invalidMigration, "The default of \(name) of \(type) cannot be encoded: \(error)",
            table: "\(type)"
          )))
    }
  }
}
