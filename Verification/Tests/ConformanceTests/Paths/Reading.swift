import LiveStore

/// A value of a row, its own or behind relations: what filters, sorts and `properties:` need of it.
protocol Reading<Root>: Sendable {
  associatedtype Root: CaseEntity

  /// The type as the cases' schemas write it.
  var type: String { get }
  /// The path for `properties:`.
  var path: any PartialKeyPath<Row<Root>> & Sendable { get }

  func condition(_ test: ValueTest) throws(CaseFailure) -> Expr<Bool>
  func countCondition(_ test: ValueTest) throws(CaseFailure) -> Expr<Bool>
  func pair(_ operation: ValueTest.Operation, with other: any Reading<Root>) throws(CaseFailure) -> Expr<Bool>
  func sorted(_ query: Query<Root>, _ order: SortDirection) throws(CaseFailure) -> Query<Root>
  func distinct(_ query: Query<Root>) -> Query<Root>
  func distinct(_ query: Query<Root>, and other: any Reading<Root>) -> Query<Root>
  func distinct<First: Hashable & Sendable>(
    _ query: Query<Root>, after first: KeyPath<Row<Root>, Expr<First>>
  ) -> Query<Root>

  /// The values that it has in each of some rows.
  func each<Owner: CaseEntity>(of many: Many<Owner, Root>) -> any Reading<Owner>
  /// What the values in some rows come to.
  func aggregate<Owner: CaseEntity>(
    _ word: String, of many: Many<Owner, Root>
  ) throws(CaseFailure) -> any Reading<Owner>
}

/// A reading under the name that a case gives it.
struct TypedReading<Root: CaseEntity, Value: CaseValue>: Reading {
  let name: String
  let expr: Expr<Value>

  init(_ name: String, _ expr: Expr<Value>) {
    self.name = name
    self.expr = expr
  }

  var type: String { Value.typeName }

  private var rowPath: any KeyPath<Row<Root>, Expr<Value>> & Sendable { \Row<Root>[reading: self] }

  var path: any PartialKeyPath<Row<Root>> & Sendable { rowPath }
}

extension TypedReading: Hashable {
  static func == (left: TypedReading, right: TypedReading) -> Bool { left.name == right.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Row where Element: CaseEntity {
  /// A reading, so that there are key paths to it.
  subscript<Value: CaseValue>(reading reading: TypedReading<Element, Value>) -> Expr<Value> { reading.expr }
}

extension TypedReading {
  func condition(_ test: ValueTest) throws(CaseFailure) -> Expr<Bool> { try Value.condition(expr, test) }

  func countCondition(_ test: ValueTest) throws(CaseFailure) -> Expr<Bool> {
    try Value.countCondition(expr, test)
  }

  func pair(
    _ operation: ValueTest.Operation, with other: any Reading<Root>
  ) throws(CaseFailure) -> Expr<Bool> {
    if let other = other as? TypedReading<Root, Value> { return try Value.pair(expr, operation, other.expr) }
    if let other = other as? TypedReading<Root, Value?> {
      return try Optional<Value>.pair(expr.lifted, operation, other.expr)
    }
    if let optional = self as? any OptionalReading<Root>,
      let condition = try optional.pair(operation, withUnwrapped: other)
    {
      return condition
    }
    let isList = type.hasPrefix("list:") || other.type.hasPrefix("list:")
    if isList { throw .notApplicable("text filters: tests of the elements of a list") }
    throw .comparing(type, other.type)
  }

  func sorted(_ query: Query<Root>, _ order: SortDirection) throws(CaseFailure) -> Query<Root> {
    try Value.sorted(query, rowPath, order)
  }

  func distinct(_ query: Query<Root>) -> Query<Root> { query.distinct(by: rowPath) }

  func distinct(_ query: Query<Root>, and other: any Reading<Root>) -> Query<Root> {
    other.distinct(query, after: rowPath)
  }

  func distinct<First: Hashable & Sendable>(
    _ query: Query<Root>, after first: KeyPath<Row<Root>, Expr<First>>
  ) -> Query<Root> {
    query.distinct(by: first, rowPath)
  }

  func each<Owner: CaseEntity>(of many: Many<Owner, Root>) -> any Reading<Owner> {
    TypedReading<Owner, [Value]>("\(many.name).\(name)", many.rows.values(rowPath))
  }

  func aggregate<Owner: CaseEntity>(
    _ word: String, of many: Many<Owner, Root>
  ) throws(CaseFailure) -> any Reading<Owner> {
    try Value.aggregate(word, of: many, rowPath)
  }
}

/// A reading of a value that may be missing.
private protocol OptionalReading<Root>: Reading {
  /// The comparison with a value that is always there; nil where that has another type.
  func pair(
    _ operation: ValueTest.Operation, withUnwrapped other: any Reading<Root>
  ) throws(CaseFailure) -> Expr<Bool>?
}

extension TypedReading: OptionalReading where Value: OptionalCaseValue {
  func pair(
    _ operation: ValueTest.Operation, withUnwrapped other: any Reading<Root>
  ) throws(CaseFailure) -> Expr<Bool>? {
    guard let other = other as? TypedReading<Root, Value.Wrapped> else { return nil }
    return try Optional<Value.Wrapped>.pair(Value.optional(expr), operation, other.expr.lifted)
  }
}

/// `Optional`, as what a value's type may be.
protocol OptionalCaseValue: CaseValue {
  associatedtype Wrapped: CaseValue
  static func optional(_ expr: Expr<Self>) -> Expr<Wrapped?>
}

extension Optional: OptionalCaseValue where Wrapped: CaseValue {
  static func optional(_ expr: Expr<Wrapped?>) -> Expr<Wrapped?> { expr }
}

extension CaseValue {
  fileprivate var lifted: Self? { self }
}

extension Expr where Value: CaseValue {
  /// The value as one that could be missing.
  fileprivate var lifted: Expr<Value?> { self[dynamicMember: \Value.lifted] }
}
