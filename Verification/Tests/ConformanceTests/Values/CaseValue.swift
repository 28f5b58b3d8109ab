import LiveStore

/// A type of properties in the cases: read from JSON, compared and ordered through the typed filters.
///
/// The functions for `Expr<Self>` and `Expr<Self?>` are requirements, so that a property reaches what its
/// type can do without knowing it: each layer (equatable, ordered, text) brings its own defaults.
protocol CaseValue: Hashable, Sendable {
  /// The name in a case's schema.
  static var typeName: String { get }
  /// The name of a property's type there: of a link, with its target.
  static var columnType: String { get }

  init(_ json: JSONValue) throws(CaseFailure)
  var json: JSONValue { get }

  /// Where a constant of a filter stands among the values of this type.
  static func place(of constant: Constant) throws(CaseFailure) -> ConstantPlace<Self>

  static func condition(_ lhs: Expr<Self>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool>
  static func condition(_ lhs: Expr<Self?>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool>
  static func pair(
    _ lhs: Expr<Self>, _ operation: ValueTest.Operation, _ rhs: Expr<Self>
  ) throws(CaseFailure) -> Expr<Bool>
  /// A test of the number of elements, bytes or characters.
  static func countCondition(_ lhs: Expr<Self>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool>
  static func countCondition(_ lhs: Expr<Self?>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool>
  static func sorted<Element>(
    _ query: Query<Element>, _ path: KeyPath<Row<Element>, Expr<Self>>, _ order: SortDirection
  ) throws(CaseFailure) -> Query<Element>
  static func sorted<Element>(
    _ query: Query<Element>, _ path: KeyPath<Row<Element>, Expr<Self?>>, _ order: SortDirection
  ) throws(CaseFailure) -> Query<Element>

  /// Where a path continues from a value of this type.
  static func find<Root: CaseEntity>(_ way: Way, _ expr: Expr<Self>) throws(CaseFailure) -> Found<Root>
  static func find<Root: CaseEntity>(
    _ way: Way, optional expr: Expr<Self?>
  ) throws(CaseFailure) -> Found<Root>
  static func find<Root: CaseEntity, Target: CaseEntity>(
    _ way: Way, through link: Expr<Ref<Target>?>, _ keyPath: any KeyPath<Target, Self> & Sendable
  ) throws(CaseFailure) -> Found<Root>
  /// The rows whose property of this type links to a row, or to the one that a link leads to.
  static func linking<Source: CaseEntity, Target: CaseEntity>(
    _ keyPath: any KeyPath<Source, Self> & Sendable, to link: Expr<Ref<Target>?>?, _ name: String
  ) throws(CaseFailure) -> LinkedRows<Source>
  static func linking<Source: CaseEntity, Target: CaseEntity>(
    optional keyPath: any KeyPath<Source, Self?> & Sendable, to link: Expr<Ref<Target>?>?, _ name: String
  ) throws(CaseFailure) -> LinkedRows<Source>
  /// The rows in a list of this type as what is observed.
  static func list<Owner: CaseEntity>(
    _ keyPath: any KeyPath<Owner, Self> & Sendable, of id: Int, _ description: JSONValue, _ tables: Tables
  ) throws(CaseFailure) -> any OpenQuery
  static func apply(_ edit: ListEdit, to value: inout Self) throws
  /// What values of this type in several rows come to.
  static func aggregate<Root: CaseEntity, Target: CaseEntity>(
    _ word: String, of many: Many<Root, Target>, _ path: KeyPath<Row<Target>, Expr<Self>>
  ) throws(CaseFailure) -> any Reading<Root>
  static func aggregate<Root: CaseEntity, Target: CaseEntity>(
    _ word: String, of many: Many<Root, Target>, _ path: KeyPath<Row<Target>, Expr<Self?>>
  ) throws(CaseFailure) -> any Reading<Root>
}

/// Where a constant stands among the values of a property's type.
enum ConstantPlace<Value> {
  case value(Value)
  /// Between two neighbouring values, as 0.5 among integers; nil is beyond the last.
  case gap(below: Value?, above: Value?)
}

extension CaseValue {
  static var columnType: String { typeName }

  static func place(of constant: Constant) throws(CaseFailure) -> ConstantPlace<Self> {
    guard constant.type == Self.typeName else {
      throw .comparing(constant.type, Self.typeName)
    }
    return .value(try Self(constant.value))
  }

  static func condition(_ lhs: Expr<Self>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool> {
    try equalityCondition(lhs, test)
  }

  static func condition(_ lhs: Expr<Self?>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool> {
    try equalityCondition(lhs, test)
  }

  static func pair(
    _ lhs: Expr<Self>, _ operation: ValueTest.Operation, _ rhs: Expr<Self>
  ) throws(CaseFailure) -> Expr<Bool> {
    switch operation {
    case .equal: return lhs == rhs
    case .notEqual: return lhs != rhs
    default: throw .betweenProperties(operation)
    }
  }

  static func countCondition(_ lhs: Expr<Self>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool> {
    throw .notApplicable("aggregates: count of \(Self.typeName)")
  }

  static func countCondition(_ lhs: Expr<Self?>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool> {
    throw .notApplicable("aggregates: count of \(Self.typeName)?")
  }

  static func sorted<Element>(
    _ query: Query<Element>, _ path: KeyPath<Row<Element>, Expr<Self>>, _ order: SortDirection
  ) throws(CaseFailure) -> Query<Element> {
    throw .notApplicable("sorting by \(Self.typeName)")
  }

  static func sorted<Element>(
    _ query: Query<Element>, _ path: KeyPath<Row<Element>, Expr<Self?>>, _ order: SortDirection
  ) throws(CaseFailure) -> Query<Element> {
    throw .notApplicable("sorting by \(Self.typeName)?")
  }
}

extension CaseFailure {
  static func comparing(_ left: String, _ right: String) -> CaseFailure {
    .notApplicable("text filters: comparing \(left) with \(right)")
  }

  static func betweenProperties(_ operation: ValueTest.Operation) -> CaseFailure {
    .notApplicable("text filters: \(operation.rawValue) between two properties")
  }
}
