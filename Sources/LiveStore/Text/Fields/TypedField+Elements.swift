import Foundation

/// A list of values.
protocol FilterElementField: Sendable {
  /// Whether the list holds a value; nil if there is no such typed condition.
  func contains(_ literal: FilterLiteral) throws(FilterStepError) -> ConditionTree?
  /// An element, as if it were the row; nil for elements that cannot be compared.
  var element: (any FilterField)? { get }
  /// Whether some element meets a condition.
  func some(_ condition: ConditionTree) -> ConditionTree
  /// How many elements meet a condition.
  func count(_ condition: ConditionTree) -> any FilterField
  /// A function of the elements; nil if there is no such typed expression.
  func aggregate(_ aggregate: FilterPath.Aggregate) -> (any FilterField)?
}

extension TypedField: FilterElementField where Value: ElementCollection {
  func contains(_ literal: FilterLiteral) throws(FilterStepError) -> ConditionTree? {
    if case .null = literal { return nil }
    func holding<Member: PlainValue>(_ type: Member.Type) throws(FilterStepError) -> ConditionTree? {
      guard let element = try FilterConversion.value(of: literal, as: type) else { return .constant(false) }
      if let expr = expr as? Expr<[Member]> { return expr.contains(element).filter }
      if let expr = expr as? Expr<[Member]?> { return expr.contains(element).filter }
      return (element as? any PlainValue & Hashable).flatMap { inSet($0) }
    }
    func inSet<Member: PlainValue & Hashable>(_ element: Member) -> ConditionTree? {
      if let expr = expr as? Expr<Set<Member>> { return expr.contains(element).filter }
      return (expr as? Expr<Set<Member>?>)?.contains(element).filter
    }
    // Elements of other types are compared at run time.
    guard let type = Value.Member.self as? any PlainValue.Type else { return nil }
    return try holding(type)
  }

  var element: (any FilterField)? {
    func field<Member: PlainValue>(_: Member.Type) -> any FilterField {
      TypedField<Member>(expr: .element(at: 0))
    }
    return (Value.Member.self as? any PlainValue.Type).map { field($0) }
  }

  func some(_ condition: ConditionTree) -> ConditionTree { expr.some(condition).filter }

  func count(_ condition: ConditionTree) -> any FilterField { TypedField<Int>(expr: expr.count(condition)) }

  func aggregate(_ aggregate: FilterPath.Aggregate) -> (any FilterField)? {
    if let expr = expr as? Expr<[Int]> { return Self.aggregate(aggregate, of: expr) }
    if let expr = expr as? Expr<[Double]> { return Self.aggregate(aggregate, of: expr) }
    guard let expr = expr as? Expr<[String]> else { return nil }
    return switch aggregate {
    case .min: TypedField<String?>(expr: expr.min())
    case .max: TypedField<String?>(expr: expr.max())
    default: nil
    }
  }

  private static func aggregate<Number: Summable & Comparable>(
    _ aggregate: FilterPath.Aggregate, of expr: Expr<[Number]>
  ) -> (any FilterField)? {
    switch aggregate {
    case .min: TypedField<Number?>(expr: expr.min())
    case .max: TypedField<Number?>(expr: expr.max())
    case .sum: TypedField<Number>(expr: expr.sum())
    case .avg: TypedField<Double?>(expr: expr.average())
    case .count, .isEmpty: nil
    }
  }
}

/// A dictionary with keys of text.
protocol FilterDictionaryField: Sendable {
  /// The value under a key.
  func member(_ key: String) -> (any FilterField)?
}

extension TypedField: FilterDictionaryField where Value: FilterDictionary {
  func member(_ key: String) -> (any FilterField)? {
    func member<Member: Equatable & Sendable>(_: Member.Type) -> (any FilterField)? {
      (expr as? Expr<[String: Member]>).map { TypedField<Member?>(expr: $0[key]) }
    }
    return member(String.self) ?? member(Int.self) ?? member(Double.self) ?? member(Bool.self)
      ?? member(Date.self) ?? member(JSONValue.self)
  }
}
