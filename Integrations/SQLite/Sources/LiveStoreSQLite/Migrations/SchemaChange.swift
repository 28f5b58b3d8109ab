import LiveStore

/// A renaming or an addition of the list of migrations, as a file records that it has passed it.
///
/// Entries of the list name the types of today, so the same entry may name another entity in a later program. What stays is
/// the earlier name that it was written for.
struct SchemaChange: Sendable, Hashable {
  /// The entity; the earlier name of one that is renamed.
  let entity: String
  /// The property, by its earlier name if it is renamed; nil where an entity is.
  var property: String?
  /// The later name; nil for an addition.
  var newName: String?

  var isRenaming: Bool { newName != nil }

  /// Whether this is recorded for a change of the list, whose entity has or had one of some names.
  func records(_ change: SchemaChange, ofOne entities: Set<String>) -> Bool {
    property == change.property && isRenaming == change.isRenaming && entities.contains(entity)
  }

  /// What is renamed or added.
  var subject: String { property.map { "\($0) of \(entity)" } ?? entity }
}

// MARK: JSON

extension SchemaChange {
  var json: JSONValue {
    var members: [(key: String, value: JSONValue)] = [("entity", .string(entity))]
    if let property { members.append(("property", .string(property))) }
    if let newName { members.append(("to", .string(newName))) }
    return .object(JSONObject(members))
  }

  init?(json: JSONValue) {
    guard case .object(let object) = json, case .string(let entity)? = object["entity"] else { return nil }
    self.init(entity: entity, property: object["property"]?.text, newName: object["to"]?.text)
    // They are hashed and compared.
    guard property != nil || newName != nil,
      [entity, property, newName].allSatisfy({ $0.map(TableNames.isReadable) ?? true })
    else { return nil }
  }
}

extension JSONValue {
  fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
}
