public import LiveStore

/// A change of the entities between versions of an app, and how the objects in a file follow it.
///
/// ```swift
/// let options = StoreFile.Options(migrations: [
///   .renamed("Person", to: User.self),
///   .renamed("headline", to: "title", in: Post.self),
///   .added("likeCount", to: Post.self, default: 0),
///   Migration(from: 1, to: 2) { old, tx in
///     try tx.update("Person") { person in
///       let first = try person.value("first", as: String.self)
///       try person.set("name", to: "\(first) \(try person.value("last", as: String.self))")
///     }
///   },
/// ])
/// let file = try await StoreFile.open(at: url, User.self, Post.self, options: options)
/// ```
/// New entities, new optional properties, new to-many links, properties that are gone, and indexes need none. A property
/// that is not optional needs ``added(_:to:default:)``, a new name ``renamed(_:to:in:)``; they are written once and stay in
/// the list, and do nothing where they have been done. Everything else is a step from one version of the schema to the
/// next: the steps from the file's version to the newest run one after the other. The newest version is the one that the
/// last step leads to, 1 without steps.
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
  /// - Parameters:
  ///   - name: the name before.
  ///   - type: the entity now.
  public static func renamed(_ name: String, to type: any Entity.Type) -> Migration {
    Migration(.renamedEntity(name, to: "\(type)"))
  }

  /// A property has another name than before.
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
  /// - Parameters:
  ///   - name: its coding key.
  ///   - type: the entity.
  ///   - value: the value of such objects, of the property's type.
  public static func added(
    _ name: String, to type: any Entity.Type, default value: some Encodable & Sendable
  ) -> Migration {
    do {
      return Migration(.addedProperty(name, entity: "\(type)", try ValueEncoder.coded(value, at: [])))
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
