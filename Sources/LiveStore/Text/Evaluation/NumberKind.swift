import Foundation

// As what an operation computes, by the kinds of its operands (F11):
//
//              integer   fraction   decimal   real
//   integer    Int       Double     Decimal   Double
//   fraction             Double     Decimal   Double
//   decimal                         Decimal   Double
//   real                                      Double
//
// Numbers of JSON have no type: beside one another and beside integers they are computed by their values, beside
// fractions and reals as Double, beside decimals as Decimal.

/// As what numbers are computed. It follows from the type of an operand, never from its value.
enum NumberKind: Sendable {
  /// Integers of all types.
  case integer
  /// `Double` and `Float`.
  case real
  case decimal
  /// What a text writes with a point or an exponent.
  case fraction
  /// Numbers of JSON.
  case unknown
}

extension NumberKind {
  /// The kind of a type's numbers: of a list or dictionary, of its elements; nil if it has none.
  static func of<Value>(_: Value.Type) -> NumberKind? {
    func wrapped<Optional: OptionalValue>(_: Optional.Type) -> NumberKind? { of(Optional.Wrapped.self) }
    func linked<Link: FilterLink>(_: Link.Type) -> NumberKind? { of(Link.ID.self) }
    func raw<Raw: RawRepresentable>(_: Raw.Type) -> NumberKind? { of(Raw.RawValue.self) }
    func element<Elements: ElementCollection>(_: Elements.Type) -> NumberKind? { of(Elements.Member.self) }
    func member<Members: FilterDictionary>(_: Members.Type) -> NumberKind? { of(Members.Value.self) }
    switch Value.self {
    case is JSONValue.Type: return .unknown
    case is any BinaryInteger.Type: return .integer
    case is any BinaryFloatingPoint.Type: return .real
    case is Decimal.Type: return .decimal
    default: break
    }
    if let type = Value.self as? any OptionalValue.Type { return wrapped(type) }
    if let type = Value.self as? any FilterLink.Type { return linked(type) }
    if let type = Value.self as? any ElementCollection.Type { return element(type) }
    if let type = Value.self as? any FilterDictionary.Type { return member(type) }
    return (Value.self as? any RawRepresentable.Type).flatMap { raw($0) }
  }

  /// The kind of what two operands give; that of one if the other has no numbers.
  static func joined(_ left: NumberKind?, _ right: NumberKind?) -> NumberKind? {
    guard let left, let right else { return left ?? right }
    let both = [left, right]
    if both.contains(.real) { return .real }
    if both.contains(.decimal) { return .decimal }
    if both.contains(.fraction) { return .real }
    return both.contains(.unknown) ? .unknown : .integer
  }
}

extension FilterLiteral {
  /// As what the number is computed; nil for other values.
  var numbers: NumberKind? {
    switch self {
    case .number(let number): number.isIntegral ? .integer : .fraction
    case .fraction: .fraction
    case .double, .notANumber: .real
    case .decimal: .decimal
    case .value(let value): value.open(KindOfConstant())
    default: nil
    }
  }
}

private struct KindOfConstant: ConstantVisitor {
  func visit<Value: Equatable>(_: Value) -> NumberKind? { .of(Value.self) }
}
