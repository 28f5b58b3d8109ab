// Functions of a value of linked objects are the expressions of Swift, for optional values too: nil is skipped.

extension FilterRows {
  /// A function of a value of each object that is not nil; nil if there is no such typed expression.
  func aggregate<Value>(_ aggregate: CollectionFunction, of member: Expr<Value>) -> FilterField? {
    func wrapped<Optional: OptionalValue>(_: Optional.Type) -> Any.Type { Optional.Wrapped.self }
    let type = (Value.self as? any OptionalValue.Type).map { wrapped($0) } ?? Value.self
    switch aggregate {
    case .sum: return (type as? any Summable.Type).flatMap { sum($0, member) }
    case .avg: return (type as? any Summable.Type).flatMap { average($0, member) }
    case .min:
      return (type as? any (KnownSendable & Comparable).Type).flatMap { extreme($0, member, isLeast: true) }
    case .max:
      return (type as? any (KnownSendable & Comparable).Type).flatMap { extreme($0, member, isLeast: false) }
    case .count, .isEmpty: return nil
    }
  }

  private func sum<Value, Number: Summable>(_: Number.Type, _ member: Expr<Value>) -> FilterField? {
    if let member = member as? Expr<Number> { return FilterField(rows.sum(of: member)) }
    return (member as? Expr<Number?>).map { FilterField(rows.sum(of: $0)) }
  }

  private func average<Value, Number: Summable>(_: Number.Type, _ member: Expr<Value>) -> FilterField? {
    if let member = member as? Expr<Number> { return FilterField(rows.average(of: member)) }
    return (member as? Expr<Number?>).map { FilterField(rows.average(of: $0)) }
  }

  private func extreme<Value, Plain: KnownSendable & Comparable>(
    _: Plain.Type, _ member: Expr<Value>, isLeast: Bool
  ) -> FilterField? {
    if let member = member as? Expr<Plain> {
      return FilterField(rows.extreme(of: member, isLeast: isLeast))
    }
    return (member as? Expr<Plain?>).map { FilterField(rows.extreme(of: $0, isLeast: isLeast)) }
  }
}
