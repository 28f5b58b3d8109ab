// The kinds in which operations compute, by the kinds of their operands (F11):
//
//              integer   fraction   decimal   real
//   integer    Int       Double     Decimal   Double
//   fraction             Double     Decimal   Double
//   decimal                         Decimal   Double
//   real                                      Double
//
// Numbers of JSON have no type: beside one another and beside integers they are computed by their values, beside
// fractions and reals as Double, beside decimals as Decimal.

/// The kind in which numbers are computed. It follows from the type of an operand, never from its value.
enum NumberKind: Sendable {
  /// Integers of all types.
  case integer
  /// `Double` and `Float`.
  case real
  case decimal
  /// Numbers that a text writes with a point or an exponent.
  case fraction
  /// Numbers of JSON.
  case unknown
}

extension NumberKind {
  /// The kind of an operation on two operands; the kind of one if the other has no numbers.
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
  /// The kind in which the number is computed; nil for other values.
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
  func visit<Value: Equatable>(_: Value) -> NumberKind? { ValueTraits(Value.self).numbers }
}
