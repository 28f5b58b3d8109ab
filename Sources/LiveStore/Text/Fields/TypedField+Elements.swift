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
    return try KnownElement.visit(Value.Member.self, ElementTest(expr: expr, literal: literal))?.get()
  }

  var element: (any FilterField)? { KnownElement.visit(Value.Member.self, ElementRoot()) }

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

/// A function of a type of elements.
private protocol ElementVisitor {
  associatedtype Result
  func visit<Member: Hashable & Sendable>(_: Member.Type) -> Result
}

/// The types of elements for which there are typed conditions. Elements of other types are compared at run time.
private enum KnownElement {
  /// The function of a type; nil for other types.
  static func visit<Visitor: ElementVisitor>(_ type: Any.Type, _ visitor: Visitor) -> Visitor.Result? {
    func one<Member: Hashable & Sendable>(_: Member.Type) -> Visitor.Result? {
      if type == Member.self { return visitor.visit(Member.self) }
      return type == Member?.self ? visitor.visit(Member?.self) : nil
    }
    func first<each Member: Hashable & Sendable>(_ types: repeat (each Member).Type) -> Visitor.Result? {
      for result in repeat one(each types) {
        if let result { return result }
      }
      return nil
    }
    return first(
      String.self, Int.self, Double.self, Bool.self, UUID.self, Date.self, Data.self, Decimal.self,
      Float.self,
      URL.self, Int64.self, Int32.self, Int16.self, Int8.self, UInt64.self, UInt32.self, UInt16.self,
      UInt8.self, UInt.self, Character.self, JSONValue.self)
  }
}

private struct ElementRoot: ElementVisitor {
  func visit<Member: Hashable & Sendable>(_: Member.Type) -> any FilterField {
    TypedField<Member>(expr: .element)
  }
}

private struct ElementTest<Value>: ElementVisitor {
  let expr: Expr<Value>
  let literal: FilterLiteral

  func visit<Member: Hashable & Sendable>(_ type: Member.Type) -> Result<ConditionTree?, FilterStepError> {
    do throws(FilterStepError) {
      guard let element = try FilterConversion.value(of: literal, as: type) else {
        return .success(.constant(false))
      }
      if let expr = expr as? Expr<[Member]> { return .success(expr.contains(element).filter) }
      if let expr = expr as? Expr<Set<Member>> { return .success(expr.contains(element).filter) }
      if let expr = expr as? Expr<[Member]?> { return .success(expr.contains(element).filter) }
      return .success((expr as? Expr<Set<Member>?>)?.contains(element).filter)
    } catch {
      return .failure(error)
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
