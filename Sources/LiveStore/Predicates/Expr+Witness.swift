// Comparisons of expressions whose type is known by a witness.

extension Expr {
  /// Whether the value equals another one, or differs from it.
  func compared<Operand, Known: ValueWitness>(
    _ comparison: Comparison, _ value: Operand, _: Known
  ) -> ConditionTree? {
    guard let expr = self as? Expr<Known.Value> else { return nil }
    // An operand behind an optional is compared as that optional.
    let same = Operand.self == Known.Value.self ? value as? Known.Value : Optional(value) as? Known.Value
    guard let value = same else { return nil }
    if let filter = expr.specialized(comparison, value) { return filter }
    return comparison == .equal ? (expr == value).filter : (expr != value).filter
  }

  /// Whether two values are equal, or differ.
  func paired<Known: ValueWitness>(_ comparison: Comparison, _ other: Expr, _: Known) -> ConditionTree? {
    guard let left = self as? Expr<Known.Value>, let right = other as? Expr<Known.Value> else { return nil }
    return comparison == .equal ? (left == right).filter : (left != right).filter
  }

  /// Whether the value is nil, for values that cannot be compared; nil if it is not optional.
  func missing(isNil: Bool) -> ConditionTree? {
    func filter<Known: OptionalValue>(_: Known.Type) -> ConditionTree? {
      (self as? Expr<Known.Wrapped?>).map { Conditions.missing($0, isNil: isNil).filter }
    }
    return (Value.self as? any OptionalValue.Type).flatMap { filter($0) }
  }
}
