import Foundation

/// A value of a row by the expression that reads it, with its type.
protocol TypedField: Sendable {
  associatedtype Value: Equatable & Sendable
  var expr: Expr<Value> { get }
  var traits: ValueTraits { get }
}

struct ExpressionField<Value: Equatable & Sendable>: TypedField {
  let expr: Expr<Value>
  let traits = ValueTraits(Value.self)
}

extension TypedField {
  var kind: FilterKind { traits.kind }

  var numbers: NumberKind? { traits.numbers }

  /// The key of an order by the value; nil if its values have no order.
  func sortKey(_ direction: SortDirection) -> SortKey? { SortKey(expr, direction) }

  /// The key of distinct values; nil if it has none.
  var distinctKey: SortKey? { KeySource(expr).sortKey }

  /// The value of a row.
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

  /// The expression, if it is of a type.
  func expr<Known>(of _: Known.Type) -> Expr<Known>? { expr as? Expr<Known> }

  /// A comparison with another value of the row; nil if there is none.
  func comparison(
    _ relation: RelationalOperator, with other: any TypedField, _ options: TextOptions
  ) -> ConditionTree? {
    guard let right = other.expr(of: Value.self), let comparison = relation.comparison, options.isEmpty,
      !isNumberOfAnyType(comparison)
    else { return other.pairing(relation, after: expr, kind, options) }
    if let filter = plainComparison(comparison, with: other) { return filter }
    switch comparison {
    case .equal: return (expr == right).filter
    case .notEqual: return (expr != right).filter
    default: break
    }
    guard let test = orderTest(comparison) else { return nil }
    return Conditions.pairing(expr, comparison, right, test).filter
  }

  /// Whether typed expressions compare such values as numbers of any types: optional ones by order.
  private func isNumberOfAnyType(_ comparison: Comparison) -> Bool {
    kind == .number && Value.self is any OptionalValue.Type && comparison != .equal && comparison != .notEqual
  }

  /// A comparison with a value before it, of another type or under options; nil if there is none.
  func pairing<Left>(
    _ relation: RelationalOperator, after left: Expr<Left>, _ leftKind: FilterKind, _ options: TextOptions
  ) -> ConditionTree? {
    if kind == .text, leftKind == .text {
      if relation == .equal || relation == .notEqual {
        let equal = Conditions.relating(left, .equal, expr, options).filter
        return relation == .equal ? equal : equal.negated
      }
      guard let test = relation.textTest, test != .matches else { return nil }
      return Conditions.relating(left, relation, expr, options).filter
    }
    guard kind == .number, leftKind == .number, options.isEmpty, relation.comparison != nil else {
      return nil
    }
    return Conditions.relating(left, relation, expr).filter
  }

  /// The same value as one of a row that is some levels further in.
  func lifted(by levels: Int) -> FilterField { FilterField(expr.lifted(by: levels, to: 0)) }

  /// The value, or another one where it is nil; nil if it never is nil.
  func filling(_ literal: FilterLiteral) -> FilterField? {
    func filled<Wrapped: KnownSendable>(_: Wrapped.Type) -> FilterField? {
      guard let expr = expr as? Expr<Wrapped?>,
        let value = (try? FilterConversion.value(of: literal, as: Wrapped.self)).flatMap({ $0 })
      else { return nil }
      return FilterField((expr ?? value) as Expr<Wrapped>)
    }
    func filled<Optional: OptionalValue>(in _: Optional.Type) -> FilterField? {
      (Optional.Wrapped.self as? any KnownSendable.Type).flatMap { filled($0) }
    }
    // A number of another kind makes the result one of its own kind.
    guard NumberKind.joined(numbers, literal.numbers) == numbers else { return nil }
    return (Value.self as? any OptionalValue.Type).flatMap { filled(in: $0) }
  }

  /// A function of the values of linked objects; nil if they have none.
  func aggregate(_ aggregate: CollectionFunction, over rows: any FilterRows) -> FilterField? {
    rows.aggregate(aggregate, of: expr)
  }

  /// Whether a comparison by order holds between two values; nil if the values have no order. Nil and NaN have none.
  func orderTest(_ comparison: Comparison) -> (@Sendable (Value, Value) -> Bool)? {
    comparison.test(of: Value.self)
  }
}
