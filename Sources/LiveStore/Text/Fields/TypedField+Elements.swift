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

  var element: (any FilterField)? {
    func field<Member: KnownSendable>(_: Member.Type) -> any FilterField {
      TypedField<Member>(expr: .element(at: 0))
    }
    return (Value.Member.self as? any KnownSendable.Type).map { field($0) }
  }

  func some(_ condition: ConditionTree) -> ConditionTree { expr.some(condition).filter }

  func count(_ condition: ConditionTree) -> any FilterField { TypedField<Int>(expr: expr.count(condition)) }

  func aggregate(_ aggregate: FilterPath.Aggregate) -> (any FilterField)? {
    switch aggregate {
    case .min: (self as? any FilterOrderedElements)?.extreme(isLeast: true)
    case .max: (self as? any FilterOrderedElements)?.extreme(isLeast: false)
    case .sum: (self as? any FilterSummableElements)?.sum
    case .avg: (self as? any FilterSummableElements)?.average
    case .count, .isEmpty: nil
    }
  }
}

/// A list of values that have an order.
private protocol FilterOrderedElements {
  func extreme(isLeast: Bool) -> any FilterField
}

extension TypedField: FilterOrderedElements
where Value: ElementCollection, Value.Member: KnownSendable & Comparable {
  fileprivate func extreme(isLeast: Bool) -> any FilterField {
    TypedField<Value.Member?>(expr: expr.extreme(isLeast ? "min" : "max", isLeast: isLeast))
  }
}

/// A list of values that are added.
private protocol FilterSummableElements {
  var sum: any FilterField { get }
  var average: any FilterField { get }
}

extension TypedField: FilterSummableElements where Value: ElementCollection, Value.Member: Summable {
  fileprivate var sum: any FilterField {
    TypedField<Value.Member>(expr: expr.total("sum") { Value.Member.value(of: $0) })
  }

  fileprivate var average: any FilterField { TypedField<Double?>(expr: expr.total("avg") { $0.average }) }
}

/// A dictionary with keys of text.
protocol FilterDictionaryField: Sendable {
  /// The value under a key.
  func member(_ key: String) -> (any FilterField)?
  /// Whether some key has a value; nil if there is no such typed condition.
  func contains(_ literal: FilterLiteral) throws(FilterStepError) -> ConditionTree?
  /// The values under all keys, as a list.
  var members: any FilterField { get }
}

extension TypedField: FilterDictionaryField where Value: FilterDictionary {
  func member(_ key: String) -> (any FilterField)? {
    func member<Member: Equatable & Sendable>(_: Member.Type) -> (any FilterField)? {
      (expr as? Expr<[String: Member]>).map { TypedField<Member?>(expr: $0[key]) }
    }
    func plainMember<Member: KnownSendable>(_: Member.Type) -> (any FilterField)? { member(Member.self) }
    return (Value.Value.self as? any KnownSendable.Type).flatMap { plainMember($0) } ?? member(JSONValue.self)
  }

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

  var members: any FilterField {
    let (accessor, conversion) = (expr.accessor, ValueConversion<Value.Value>())
    return ComputedField(
      kind: .list(.of(Value.Value.self)), numbers: numbers,
      read: { row, context in .list(accessor.read(row, context).memberValues(conversion.convert)) },
      dependencies: dependencies)
  }
}
