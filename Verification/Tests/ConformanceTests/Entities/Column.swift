import LiveStore

/// A property of an entity, found by name: what operations and paths need of its typed key path.
protocol Column<Element>: Sendable {
  associatedtype Element: CaseEntity

  /// The name in the cases.
  var name: String { get }
  /// The name in the entity's schema.
  var storedName: String { get }
  /// The type as the cases' schemas write it.
  var type: String { get }

  /// The same property under the name and the type that a case gives to it.
  func renamed(_ name: String, _ type: String) -> any Column<Element>

  func set(_ json: JSONValue, in object: inout Element) throws(CaseFailure)
  func edit(_ edit: ListEdit, in object: inout Element) throws
  func json(in object: Element) -> JSONValue
  /// A value of a `PropertyChange`, if it has the property's type.
  func json(of value: any Sendable) -> JSONValue?

  /// Where a path continues from this property of a row.
  func find(_ way: Way) throws(CaseFailure) -> Found<Element>
  /// Where a path continues from this property of the row that a link leads to.
  func find<Root: CaseEntity>(
    _ way: Way, through link: Expr<Ref<Element>?>
  ) throws(CaseFailure) -> Found<Root>
  /// The rows whose property of this name links to a row, or to the one that a link leads to.
  func linking<Target: CaseEntity>(to link: Expr<Ref<Target>?>?) throws(CaseFailure) -> LinkedRows<Element>
  /// The rows in the list of one row.
  func list(
    of id: Int, _ description: JSONValue, _ tables: Tables
  ) throws(CaseFailure) -> any OpenQuery
}

struct TypedColumn<Element: CaseEntity, Value: CaseValue>: Column {
  var name: String
  let storedName: String
  var type = Value.columnType
  let keyPath: any WritableKeyPath<Element, Value> & Sendable
}

extension TypedColumn {
  func renamed(_ name: String, _ type: String) -> any Column<Element> {
    var column = self
    (column.name, column.type) = (name, type)
    return column
  }

  func set(_ json: JSONValue, in object: inout Element) throws(CaseFailure) {
    object[keyPath: keyPath] = try Value(json)
  }

  func edit(_ edit: ListEdit, in object: inout Element) throws {
    try Value.apply(edit, to: &object[keyPath: keyPath])
  }

  func json(in object: Element) -> JSONValue { object[keyPath: keyPath].json }

  func json(of value: any Sendable) -> JSONValue? { (value as? Value)?.json }

  func find(_ way: Way) throws(CaseFailure) -> Found<Element> {
    try Value.find(way, Row<Element>()[dynamicMember: keyPath])
  }

  func find<Root: CaseEntity>(
    _ way: Way, through link: Expr<Ref<Element>?>
  ) throws(CaseFailure) -> Found<Root> {
    try Value.find(way, through: link, keyPath)
  }

  func linking<Target: CaseEntity>(to link: Expr<Ref<Target>?>?) throws(CaseFailure) -> LinkedRows<Element> {
    try Value.linking(keyPath, to: link, name)
  }

  func list(
    of id: Int, _ description: JSONValue, _ tables: Tables
  ) throws(CaseFailure) -> any OpenQuery {
    try Value.list(keyPath, of: id, description, tables)
  }
}
