import LiveStore

/// A property of an entity, found by name: what filters, sorts and operations need of its typed key path.
protocol Column<Element>: Sendable {
  associatedtype Element: CaseEntity

  /// The name in the cases.
  var name: String { get }
  /// The name in the entity's schema.
  var storedName: String { get }
  /// The type as the cases' schemas write it.
  var type: String { get }
  var reference: Reference? { get }
  /// The path for `properties:`.
  var path: any PartialKeyPath<Row<Element>> & Sendable { get }

  func set(_ json: JSONValue, in object: inout Element) throws(CaseFailure)
  func json(in object: Element) -> JSONValue
  /// A value of a `PropertyChange`, if it has the property's type.
  func json(of value: any Sendable) -> JSONValue?
  func condition(_ row: Row<Element>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool>
  func countCondition(_ row: Row<Element>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool>
  func pair(
    _ row: Row<Element>, _ operation: ValueTest.Operation, with other: any Column<Element>
  ) throws(CaseFailure) -> Expr<Bool>
  func sorted(_ query: Query<Element>, _ order: SortDirection) throws(CaseFailure) -> Query<Element>
}

struct TypedColumn<Element: CaseEntity, Value: CaseValue>: Column {
  let name: String
  let storedName: String
  let type: String
  let reference: Reference?
  let keyPath: any KeyPath<Element, Value> & Sendable
  let write: (@Sendable (inout Element, Value) -> Void)?
}

extension TypedColumn {
  init(
    _ name: String, _ type: String, _ reference: Reference?,
    _ keyPath: any WritableKeyPath<Element, Value> & Sendable, storedName: String? = nil
  ) {
    self.init(
      name: name, storedName: storedName ?? name, type: type, reference: reference, keyPath: keyPath,
      write: { $0[keyPath: keyPath] = $1 })
  }

  private var rowPath: any KeyPath<Row<Element>, Expr<Value>> & Sendable {
    \Row<Element>.[dynamicMember: keyPath]
  }

  var path: any PartialKeyPath<Row<Element>> & Sendable { rowPath }

  func set(_ json: JSONValue, in object: inout Element) throws(CaseFailure) {
    guard let write else { throw .malformed("\(name) cannot be set") }
    write(&object, try Value(json))
  }

  func json(in object: Element) -> JSONValue { object[keyPath: keyPath].json }

  func json(of value: any Sendable) -> JSONValue? { (value as? Value)?.json }

  func condition(_ row: Row<Element>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool> {
    try Value.condition(row[keyPath], test)
  }

  func countCondition(_ row: Row<Element>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool> {
    try Value.countCondition(row[keyPath], test)
  }

  func pair(
    _ row: Row<Element>, _ operation: ValueTest.Operation, with other: any Column<Element>
  ) throws(CaseFailure) -> Expr<Bool> {
    guard let other = other as? TypedColumn<Element, Value> else {
      let isList = type.hasPrefix("list:") || other.type.hasPrefix("list:")
      if isList { throw .notApplicable("text filters: tests of the elements of a list") }
      throw .comparing(type, other.type)
    }
    return try Value.pair(row[keyPath], operation, row[other.keyPath])
  }

  func sorted(_ query: Query<Element>, _ order: SortDirection) throws(CaseFailure) -> Query<Element> {
    try Value.sorted(query, rowPath, order)
  }
}
