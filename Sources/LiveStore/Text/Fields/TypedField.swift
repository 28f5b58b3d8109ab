import Foundation

/// A value of a row by the expression that reads it.
struct TypedField<Value: Equatable & Sendable>: FilterField {
  let expr: Expr<Value>

  var kind: FilterKind { .of(Value.self) }

  var read: FilterReader {
    let (accessor, conversion) = (expr.accessor, ValueConversion<Value>())
    return { row, context in conversion.convert(accessor.read(row, context)) }
  }

  var operands: [Operand] { expr.operands }

  func comparison(_ relation: FilterSyntax.Relation, with other: any FilterField) -> ConditionTree? {
    guard let other = other as? TypedField, let comparison = relation.comparison,
      !isNumberOfAnyType(comparison)
    else { return other.pairing(relation, after: expr, kind) }
    if let filter = plainComparison(comparison, with: other) { return filter }
    switch comparison {
    case .equal: return (expr == other.expr).filter
    case .notEqual: return (expr != other.expr).filter
    default: break
    }
    guard let test = orderTest(comparison) else { return nil }
    return Conditions.pairing(expr, comparison, other.expr, test).filter
  }

  /// Whether typed expressions compare such values as numbers of any types: optional ones by order.
  private func isNumberOfAnyType(_ comparison: Comparison) -> Bool {
    kind == .number && Value.self is any OptionalValue.Type && comparison != .equal && comparison != .notEqual
  }

  func pairing<Left>(
    _ relation: FilterSyntax.Relation, after left: Expr<Left>, _ leftKind: FilterKind
  ) -> ConditionTree? {
    if let test = relation.textTest, test != .matches, kind == .text, leftKind == .text {
      return Conditions.pairing(left, test, expr, []).filter
    }
    guard kind == .number, leftKind == .number else { return nil }
    return Conditions.pairing(left, relation, expr)?.filter
  }

  func lifted(by levels: Int) -> any FilterField { TypedField(expr: expr.lifted(by: levels, to: 0)) }

  func filling(_ literal: FilterLiteral) -> (any FilterField)? {
    func filled<Wrapped: Equatable & Sendable>(_: Wrapped.Type) -> (any FilterField)? {
      guard let expr = expr as? Expr<Wrapped?>,
        let value = (try? FilterConversion.value(of: literal, as: Wrapped.self)).flatMap({ $0 })
      else { return nil }
      return TypedField<Wrapped>(expr: expr ?? value)
    }
    return filled(Int.self) ?? filled(String.self) ?? filled(Double.self) ?? filled(Bool.self)
      ?? filled(Date.self) ?? filled(Decimal.self) ?? filled(UUID.self)
  }

  func aggregate(_ aggregate: FilterPath.Aggregate, over rows: any FilterRows) -> (any FilterField)? {
    (self as? any FilterNumberField)?.total(aggregate, over: rows)
  }

  var columnType: SQLColumnType? { SQLColumnType(Value.self) }

  func sortKey(_ direction: SortDirection) -> SortKey? { SortKey(expr, direction) }

  var distinctKey: SortKey? { KeySource(expr).sortKey }

  /// Whether a comparison by order holds between two values; nil if the values have no order. Nil and NaN have none.
  func orderTest(_ comparison: Comparison) -> (@Sendable (Value, Value) -> Bool)? {
    comparison.test(of: Value.self)
  }
}

extension Conditions {
  /// The comparison of two numbers of any types.
  fileprivate static func pairing<Left, Right>(
    _ left: Expr<Left>, _ relation: FilterSyntax.Relation, _ right: Expr<Right>
  ) -> Expr<Bool>? {
    guard relation.comparison != nil else { return nil }
    let test = FilterRelation(relation, [])
    return pairing(left, relation.rawValue, right) { test.holds($0, $1) }
  }
}

extension FilterSyntax.Relation {
  /// The operator of typed expressions; nil if there is none.
  var comparison: Comparison? { Comparison(rawValue: rawValue) }

  /// The relation with its sides exchanged; nil if there is none.
  var flipped: FilterSyntax.Relation? {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    default: nil
    }
  }
}
