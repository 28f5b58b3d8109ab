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
  let name: String
  let storedName: String
  let type: String
  let keyPath: any KeyPath<Element, Value> & Sendable
  let write: (@Sendable (inout Element, (inout Value) throws -> Void) throws -> Void)?
}

extension TypedColumn {
  init(
    _ name: String, _ type: String, _ keyPath: any WritableKeyPath<Element, Value> & Sendable,
    storedName: String? = nil
  ) {
    self.init(
      name: name, storedName: storedName ?? name, type: type, keyPath: keyPath,
      write: { try $1(&$0[keyPath: keyPath]) })
  }

  func set(_ json: JSONValue, in object: inout Element) throws(CaseFailure) {
    let value = try Value(json)
    do { try change(&object) { $0 = value } } catch { throw .malformed("\(name) cannot be set") }
  }

  func edit(_ edit: ListEdit, in object: inout Element) throws {
    try change(&object) { try Value.apply(edit, to: &$0) }
  }

  private func change(_ object: inout Element, _ edit: (inout Value) throws -> Void) throws {
    guard let write else { throw CaseFailure.malformed("\(name) cannot be set") }
    try write(&object, edit)
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
