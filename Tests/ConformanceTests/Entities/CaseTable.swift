import LiveStore

/// A type of a case, with its rows in a store: operations, observers and queries by name.
protocol CaseTable: Sendable {
  /// The type's name in the case.
  var name: String { get }
  /// The properties' types as the cases' schemas write them.
  var types: [String: String] { get }

  func insert(_ values: JSONObject, in tx: borrowing WriteTransaction) throws
  func set(_ values: JSONObject, of id: Int, in tx: borrowing WriteTransaction) throws
  func delete(_ id: Int, in tx: borrowing WriteTransaction) throws
  /// Deletes all rows and returns their ids.
  func deleteAll(in tx: borrowing WriteTransaction) throws -> Set<Int>
  /// Edits a list of a row.
  func edit(
    _ property: String, of id: Int, in tx: borrowing WriteTransaction,
    _ change: (inout [JSONValue]) throws -> Void
  ) throws
  /// Sets links to deleted rows to nil and takes the rows out of lists.
  func unlink(_ ids: Set<Int>, of target: String, in tx: borrowing WriteTransaction) throws

  /// The ids of what an observer or a query describes, at the newest version.
  func ids(of description: JSONValue, in store: Store) throws -> [Int]
  func observe(_ description: JSONValue, in store: Store, excluding origins: Set<String>) throws
    -> Observation<CollectionEvent>
  func observeObject(_ description: JSONValue, in store: Store, excluding origins: Set<String>) throws
    -> Observation<ObjectEvent>
}

/// A table of a struct.
struct EntityTable<Element: CaseEntity>: CaseTable {
  let name: String
  let columns: [any Column<Element>]

  init(_ name: String, _ columns: [any Column<Element>]) {
    self.name = name
    self.columns = columns
  }

  /// A table under the struct's own name and properties.
  init(_: Element.Type) { self.init("\(Element.self)", Element.columns) }

  var types: [String: String] {
    Dictionary(columns.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
  }

  func column(_ name: String) throws(CaseFailure) -> any Column<Element> {
    guard let column = columns.first(where: { $0.name == name }) else {
      throw .malformed("\(self.name) has no property \(name)")
    }
    return column
  }
}

extension EntityTable {
  func insert(_ values: JSONObject, in tx: borrowing WriteTransaction) throws {
    guard let id = values["id"]?.integer else { throw CaseFailure.malformed("\(values) has no id") }
    var object = Element(id: id)
    try assign(values, to: &object)
    try tx.insert(object)
  }

  func set(_ values: JSONObject, of id: Int, in tx: borrowing WriteTransaction) throws {
    try tx.update(Element.self, id) { try assign(values, to: &$0) }
  }

  func delete(_ id: Int, in tx: borrowing WriteTransaction) throws {
    guard try tx.delete(Element.self, id) else {
      throw CaseFailure.malformed("there is no \(name) \(id) to delete")
    }
  }

  func deleteAll(in tx: borrowing WriteTransaction) throws -> Set<Int> {
    let ids = Set(tx.fetch(Element.all).ids)
    try tx.deleteAll(Element.self)
    return ids
  }

  func edit(
    _ property: String, of id: Int, in tx: borrowing WriteTransaction,
    _ change: (inout [JSONValue]) throws -> Void
  ) throws {
    let column = try column(property)
    try tx.update(Element.self, id) { object in
      guard var elements = column.json(in: object).elements else {
        throw CaseFailure.malformed("\(name).\(property) is not a list")
      }
      try change(&elements)
      try column.set(.array(elements), in: &object)
    }
  }

  func unlink(_ ids: Set<Int>, of target: String, in tx: borrowing WriteTransaction) throws {
    for column in columns where column.reference?.target == target {
      for object in tx.fetch(Element.all) {
        let old = column.json(in: object)
        let new = Self.removing(ids, from: old)
        if new != old { try tx.update(Element.self, object.id) { try column.set(new, in: &$0) } }
      }
    }
  }

  private static func removing(_ ids: Set<Int>, from value: JSONValue) -> JSONValue {
    func isGone(_ value: JSONValue) -> Bool { value.integer.map(ids.contains) ?? false }
    if let elements = value.elements { return .array(elements.filter { !isGone($0) }) }
    return isGone(value) ? .null : value
  }

  private func assign(_ values: JSONObject, to object: inout Element) throws(CaseFailure) {
    for (key, value) in values where key != "id" { try column(key).set(value, in: &object) }
  }
}
