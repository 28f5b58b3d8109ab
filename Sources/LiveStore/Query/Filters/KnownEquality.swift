import Foundation

// Which constants, and conditions on them, may stand for each other where they are equal (Q6). The `==` of a type of
// users may be anything: one value may equal two that differ.

/// A value of a type of the library's own, which knows of itself whether equal values are the same.
protocol KnownEquality {
  var hasKnownEquality: Bool { get }
}

extension Array: KnownEquality where Element: KnownEquality {
  var hasKnownEquality: Bool { allSatisfy(\.hasKnownEquality) }
}

extension Constant {
  /// Whether equality and hashes of its type are known to be consistent: a type of the standard library or Foundation,
  /// or an enumeration whose cases equal themselves alone.
  var hasKnownEquality: Bool { open(EqualityIsKnown()) }

  /// Whether it is nil.
  var isMissing: Bool { open(IsMissing()) }

  /// Whether it is a Boolean that is not optional.
  var isBool: Bool { open(IsBool()) }
}

private struct EqualityIsKnown: ConstantVisitor {
  func visit<Value: Equatable>(_ value: Value) -> Bool {
    (value as? any KnownEquality)?.hasKnownEquality ?? Self.isKnown(Value.self)
  }

  private static func isKnown<Value>(_: Value.Type) -> Bool {
    if let relation = Value.self as? any RelationValue.Type { return isKnown(ofTarget: relation) }
    if let optional = Value.self as? any OptionalValue.Type { return isKnown(wrapped: optional) }
    if let order = ValueOrder<Value>.ofType(), order.isConsistent { return true }
    if let cases = Value.self as? any (CaseIterable & Hashable).Type, hasDistinctCases(cases) { return true }
    return Value.self == Data.self || Value.self == URL.self || Value.self == Decimal.self
      || Value.self == MissingValue.self
  }

  private static func isKnown<Relation: RelationValue>(ofTarget _: Relation.Type) -> Bool {
    isKnown(Relation.Target.ID.self)
  }

  private static func isKnown<Optional: OptionalValue>(wrapped _: Optional.Type) -> Bool {
    isKnown(Optional.Wrapped.self)
  }
}

private struct IsMissing: ConstantVisitor {
  func visit<Value: Equatable>(_ value: Value) -> Bool { (value as? any OptionalValue)?.isNil ?? false }
}

private struct IsBool: ConstantVisitor {
  func visit<Value: Equatable>(_ value: Value) -> Bool { Value.self == Bool.self }
}

extension Condition {
  /// Whether conditions that equal this one are known to pass the same rows.
  var hasKnownEquality: Bool { term.allConstants(\.hasKnownEquality) }
}

extension ConditionTree {
  /// Whether filters that equal this one are known to pass the same rows.
  var hasKnownEquality: Bool {
    switch self {
    case .constant: true
    case .condition(let condition): condition.hasKnownEquality
    case .all(let filters), .any(let filters): filters.allSatisfy(\.hasKnownEquality)
    case .not(let filter): filter.hasKnownEquality
    }
  }
}
