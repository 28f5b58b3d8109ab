import Foundation

/// A list of values.
protocol ElementField: TypedField where Value: ElementCollection {}

extension ExpressionField: ElementField where Value: ElementCollection {}

extension ElementField {
  /// Whether the list holds a value; nil if there is no such typed condition.
  func contains(_ literal: FilterLiteral) throws(FilterStepError) -> ConditionTree? {
    if case .null = literal { return nil }
    func holding<Member: KnownSendable>(_ type: Member.Type) throws(FilterStepError) -> ConditionTree? {
      guard let element = try FilterConversion.value(of: literal, as: type) else { return .constant(false) }
      if let expr = expr as? Expr<[Member]> { return expr.contains(element).filter }
      if let expr = expr as? Expr<[Member]?> { return expr.contains(element).filter }
      return (element as? any KnownSendable & Hashable).flatMap { inSet($0) }
    }
    func inSet<Member: KnownSendable & Hashable>(_ element: Member) -> ConditionTree? {
      if let expr = expr as? Expr<Set<Member>> { return expr.contains(element).filter }
      return (expr as? Expr<Set<Member>?>)?.contains(element).filter
    }
    // Elements of other types are compared at run time.
    guard let type = Value.Member.self as? any KnownSendable.Type else { return nil }
    return try holding(type)
  }

  /// An element, as if it were the row; nil for elements that cannot be compared.
  var element: FilterField? {
    func field<Member: KnownSendable>(_: Member.Type) -> FilterField {
      FilterField(Expr<Member>.element(at: 0))
    }
    return (Value.Member.self as? any KnownSendable.Type).map { field($0) }
  }

  /// Whether some element meets a condition.
  func some(_ condition: ConditionTree) -> ConditionTree { expr.some(condition).filter }

  /// How many elements meet a condition.
  func count(_ condition: ConditionTree) -> FilterField { FilterField(expr.count(condition)) }

  /// A function of the elements; nil if there is no such typed expression.
  func aggregate(_ aggregate: CollectionFunction) -> FilterField? {
    switch aggregate {
    case .min: (self as? any OrderedElementField)?.extreme(isLeast: true)
    case .max: (self as? any OrderedElementField)?.extreme(isLeast: false)
    case .sum: (self as? any SummableElementField)?.sum
    case .avg: (self as? any SummableElementField)?.average
    case .count, .isEmpty: nil
    }
  }
}

/// A list of values that have an order.
private protocol OrderedElementField: ElementField where Value.Member: KnownSendable & Comparable {}

extension ExpressionField: OrderedElementField
where Value: ElementCollection, Value.Member: KnownSendable & Comparable {}

extension OrderedElementField {
  fileprivate func extreme(isLeast: Bool) -> FilterField {
    FilterField(expr.extreme(isLeast: isLeast))
  }
}

/// A list of values that are added.
private protocol SummableElementField: ElementField where Value.Member: Summable {}

extension ExpressionField: SummableElementField where Value: ElementCollection, Value.Member: Summable {}

extension SummableElementField {
  fileprivate var sum: FilterField { FilterField(expr.total(.sum) { Value.Member.value(of: $0) }) }

  fileprivate var average: FilterField { FilterField(expr.total(.avg) { $0.average }) }
}

/// A dictionary.
protocol DictionaryField: TypedField where Value: FilterDictionary {}

extension ExpressionField: DictionaryField where Value: FilterDictionary {}

extension DictionaryField {
  /// The value under a key of text.
  func member(_ key: String) -> FilterField? {
    func member<Member: Equatable & Sendable>(_: Member.Type) -> FilterField? {
      (expr as? Expr<[String: Member]>).map { FilterField($0[key] as Expr<Member?>) }
    }
    func plainMember<Member: KnownSendable>(_: Member.Type) -> FilterField? { member(Member.self) }
    return (Value.Value.self as? any KnownSendable.Type).flatMap { plainMember($0) } ?? member(JSONValue.self)
  }

  /// Whether some key has a value; nil if there is no such typed condition.
  func contains(_ literal: FilterLiteral) throws(FilterStepError) -> ConditionTree? {
    if case .null = literal { return nil }
    func holding<Member: KnownSendable>(_ type: Member.Type) throws(FilterStepError) -> ConditionTree? {
      guard let expr = expr as? Expr<[String: Member]> else { return nil }
      return try FilterConversion.value(of: literal, as: type).map { expr.contains(value: $0).filter }
        ?? .constant(false)
    }
    return try (Value.Value.self as? any KnownSendable.Type).flatMap { type throws(FilterStepError) in
      try holding(type)
    }
  }

  /// The values under all keys, as a list.
  var members: FilterField {
    let (accessor, conversion) = (expr.accessor, ValueConversion<Value.Value>())
    // The term is the dictionary's. The relation, CONTAINS, IN or one with a quantifier, decides whether its values are
    // read, so no two filters of different meaning are equal.
    return FilterField(
      expr.term, kind: .list(ValueTraits(Value.Value.self).kind), numbers: numbers,
      read: { row, context in .list(accessor.read(row, context).memberValues(conversion.convert)) },
      named: expr.named)
  }
}
