import Foundation

/// A value of a row by the expression that reads it.
struct TypedField<Value: Equatable & Sendable>: FilterField {
  let expr: Expr<Value>

  var kind: FilterKind { .of(Value.self) }

  var numbers: NumberKind? { .of(Value.self) }

  var read: FilterReader {
    let (accessor, conversion) = (expr.accessor, ValueConversion<Value>())
    guard kind.isList || kind == .unknown else {
      if case .offset = accessor {
        return { row, context in conversion.convert(accessor.read(row, context)) }
      }
      return { row, context in
        context.goesOn() ? conversion.convert(accessor.read(row, context)) : .missing
      }
    }
    return { row, context in
      guard context.goesOn() else { return .missing }
      let value = conversion.convert(accessor.read(row, context))
      context.run?.converted(value)
      return value
    }
  }

  var dependencies: [Dependency] { expr.dependencies }

  func comparison(
    _ relation: FilterSyntax.Relation, with other: any FilterField, _ options: TextOptions
  ) -> ConditionTree? {
    guard let other = other as? TypedField, let comparison = relation.comparison, options.isEmpty,
      !isNumberOfAnyType(comparison)
    else { return other.pairing(relation, after: expr, kind, options) }
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
    _ relation: FilterSyntax.Relation, after left: Expr<Left>, _ leftKind: FilterKind, _ options: TextOptions
  ) -> ConditionTree? {
    if kind == .text, leftKind == .text {
      if relation == .equal || relation == .notEqual {
        let equal = Conditions.pairing(left, .equals, expr, options).filter
        return relation == .equal ? equal : equal.negated
      }
      guard let test = relation.textTest, test != .matches else { return nil }
      return Conditions.pairing(left, test, expr, options).filter
    }
    guard kind == .number, leftKind == .number, options.isEmpty else { return nil }
    return Conditions.pairing(left, relation, expr)?.filter
  }

  func lifted(by levels: Int) -> any FilterField { TypedField(expr: expr.lifted(by: levels, to: 0)) }

  func filling(_ literal: FilterLiteral) -> (any FilterField)? {
    func filled<Wrapped: KnownSendable>(_: Wrapped.Type) -> (any FilterField)? {
      guard let expr = expr as? Expr<Wrapped?>,
        let value = (try? FilterConversion.value(of: literal, as: Wrapped.self)).flatMap({ $0 })
      else { return nil }
      return TypedField<Wrapped>(expr: expr ?? value)
    }
    func filled<Optional: OptionalValue>(in _: Optional.Type) -> (any FilterField)? {
      (Optional.Wrapped.self as? any KnownSendable.Type).flatMap { filled($0) }
    }
    // A number of another kind makes the result one of that.
    guard NumberKind.joined(numbers, literal.numbers) == numbers else { return nil }
    return (Value.self as? any OptionalValue.Type).flatMap { filled(in: $0) }
  }

  func aggregate(_ aggregate: FilterPath.Aggregate, over rows: any FilterRows) -> (any FilterField)? {
    rows.aggregate(aggregate, of: expr)
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
    guard let comparison = relation.comparison else { return nil }
    let test = FilterRelation(relation, [])
    return pairing(left, .comparison(comparison), right) { test.holds($0, $1) }
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
