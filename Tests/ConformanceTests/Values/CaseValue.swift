import LiveStore

/// A type of properties in the cases: read from JSON, compared and ordered through the typed filters.
///
/// The functions for `Expr<Self>` and `Expr<Self?>` are requirements, so that a property reaches what its
/// type can do without knowing it: each layer (equatable, ordered, text) brings its own defaults.
protocol CaseValue: Equatable, Sendable {
  /// The name in a case's schema.
  static var typeName: String { get }

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
}

/// Where a constant stands among the values of a property's type.
enum ConstantPlace<Value> {
  case value(Value)
  /// Between two neighbouring values, as 0.5 among integers; nil is beyond the last.
  case gap(below: Value?, above: Value?)
}

extension CaseValue {
  static func place(of constant: Constant) throws(CaseFailure) -> ConstantPlace<Self> {
    let isReference = constant.type == "link" && Self.typeName == Int.typeName
    guard constant.type == Self.typeName || isReference else {
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
