import Foundation
package import LiveStore

// Values of any type, as the meaning of filters compares them.

/// The value without the optionals around it.
func unwrapped(_ value: Any) -> Any? {
  if let optional = value as? any MaybeMissing { return optional.content }
  return value is MissingValue ? nil : value
}

private protocol MaybeMissing { var content: Any? { get } }
extension Optional: MaybeMissing { fileprivate var content: Any? { flatMap { unwrapped($0) } } }

extension Constant {
  var plain: Any? { value(as: Any.self).flatMap(unwrapped) }
}

/// Whether a comparison holds: nil equals nil alone and has no order, NaN has neither.
func relates(_ left: Any?, _ comparison: Comparison, _ right: Any?) -> Bool {
  switch comparison {
  case .equal: areEqual(left, right)
  case .notEqual: !areEqual(left, right)
  case .less: order(left, right).map { $0 < 0 } ?? false
  case .lessOrEqual: order(left, right).map { $0 <= 0 } ?? false
  case .greater: order(left, right).map { $0 > 0 } ?? false
  case .greaterOrEqual: order(left, right).map { $0 >= 0 } ?? false
  }
}

func areEqual(_ left: Any?, _ right: Any?) -> Bool {
  guard let left, let right else { return left == nil && right == nil }
  func isEqual<Value: Equatable>(_ left: Value) -> Bool {
    (right as? Value).map { left == $0 } ?? (PlainNumber.order(left, right) == 0)
  }
  return (left as? any Equatable).map { isEqual($0) } ?? false
}

/// Negative, zero or positive; nil for values without an order, NaN among them.
private func order(_ left: Any?, _ right: Any?) -> Int? {
  guard let left, let right else { return nil }
  func order<Value: Comparable>(_ left: Value) -> Int? {
    guard let right = right as? Value else { return PlainNumber.order(left, right) }
    return left == right ? 0 : isBelow(left, right) ? -1 : isBelow(right, left) ? 1 : nil
  }
  func position<Value: CaseIterable & Equatable>(_ value: Value) -> Int? {
    Value.allCases.enumerated().first { $0.element == value }?.offset
  }
  if let left = left as? any Comparable { return order(left) }
  if let left = left as? Bool, let right = right as? Bool { return (left ? 1 : 0) - (right ? 1 : 0) }
  if let left = left as? Data, let right = right as? Data {
    return left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
  }
  guard let left = left as? any CaseIterable & Equatable, let right = right as? any CaseIterable & Equatable,
    type(of: left) == type(of: right), let place = position(left), let other = position(right)
  else { return nil }
  return place - other
}

/// The order of sorts: nil, NaN, values.
package func totalOrder(_ left: Any?, _ right: Any?) -> Int {
  func place(_ value: Any?) -> Int { value == nil ? 0 : order(value, value) == nil ? 1 : 2 }
  return order(left, right) ?? place(left) - place(right)
}

/// A number of one of the kinds in which filters compute.
enum PlainNumber {
  case integer(Int128)
  case real(Double)
  case decimal(Decimal)

  init?(_ value: Any?) {
    switch value {
    case let integer as any BinaryInteger: self = .integer(Int128(integer))
    case let real as Double: self = .real(real)
    // An integral one is itself, any other the number that it prints as.
    case let real as Float: self = .real(Int64(exactly: real).map { Double($0) } ?? Double("\(real)") ?? .nan)
    case let decimal as Decimal: self = .decimal(decimal)
    default: return nil
    }
  }

  var double: Double {
    switch self {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    case .decimal(let decimal): Double("\(decimal)") ?? .nan
    }
  }

  private var exact: ExactNumber {
    switch self {
    case .integer(let integer): ExactNumber(integer)
    case .real(let real): ExactNumber(floating: real)
    case .decimal(let decimal): ExactNumber(decimal)
    }
  }

  static func order(_ left: Any?, _ right: Any?) -> Int? {
    guard let left = PlainNumber(left), let right = PlainNumber(right) else { return nil }
    return ExactNumber.order(left.exact, right.exact)
  }

  /// Of integers the nearest `Int`, of decimals a number; nil where there is none, or where an operand is missing.
  static func result(_ left: Any?, _ operation: ArithmeticOperation, _ right: Any?) -> Any? {
    switch (PlainNumber(left), PlainNumber(right)) {
    case (.integer(let left), .integer(let right)):
      let (left, right) = (Int128(Int(clamping: left)), Int128(Int(clamping: right)))
      return switch operation {
      case .add: Int(clamping: left + right)
      case .subtract: Int(clamping: left - right)
      case .multiply: Int(clamping: left * right)
      case .divide: right == 0 ? nil : Int(clamping: left / right)
      }
    case (.real(let left), .real(let right)):
      return switch operation {
      case .add: left + right
      case .subtract: left - right
      case .multiply: left * right
      case .divide: left / right
      }
    case (.decimal(let left), .decimal(let right)):
      let result: Decimal? =
        switch operation {
        case .add: left + right
        case .subtract: left - right
        case .multiply: left * right
        case .divide: right == 0 ? nil : left / right
        }
      return result.flatMap { left.isNaN || right.isNaN || $0.isNaN ? nil : $0 }
    default: return nil
    }
  }

  /// The sum of numbers of one kind, zero of none; of integers, the nearest one of their type.
  static func sum(_ values: [Any]) -> Any {
    func clamped<Value: BinaryInteger>(_: Value, _ sum: Int128) -> Any { Value(clamping: sum) }
    let numbers = values.compactMap { PlainNumber($0) }
    switch (values.first, numbers.first) {
    case (_, .real): return numbers.reduce(0) { $0 + $1.double }
    case (_, .decimal): return values.reduce(Decimal(0)) { $0 + ($1 as? Decimal ?? .nan) }
    case (let first as any BinaryInteger, _):
      return clamped(first, numbers.reduce(0) { if case .integer(let next) = $1 { $0 + next } else { $0 } })
    default: return 0
    }
  }

  static func mean(_ values: [Any]) -> Double? {
    values.isEmpty ? nil : values.compactMap { PlainNumber($0)?.double }.reduce(0, +) / Double(values.count)
  }
}

// MARK: Texts

/// Whether a text passes a test by its characters, folded by Foundation where an option says so; nil for the test by a
/// regular expression.
package func passes(_ text: String, _ test: TextTest, _ part: String, _ options: TextOptions) -> Bool? {
  let (text, part) = (characters(text, options), characters(part, options))
  return switch test {
  case .equals: text == part
  case .beginsWith: text.starts(with: part)
  case .endsWith: text.reversed().starts(with: part.reversed())
  case .contains: (0...text.count).contains { text[$0...].starts(with: part) }
  case .like: isLike(text[...], part[...])
  case .matches: nil
  }
}

private func characters(_ text: String, _ options: TextOptions) -> [Character] {
  var folding: String.CompareOptions = []
  if options.contains(.caseInsensitive) { folding.insert(.caseInsensitive) }
  if options.contains(.diacriticInsensitive) { folding.insert(.diacriticInsensitive) }
  return Array(folding.isEmpty ? text : text.folding(options: folding, locale: nil))
}

/// Whether a text matches a pattern: `?` is one character, `*` any number, a backslash takes away their meaning.
private func isLike(_ text: ArraySlice<Character>, _ pattern: ArraySlice<Character>) -> Bool {
  let (symbol, rest) = (pattern.first, pattern.dropFirst())
  switch symbol {
  case nil: return text.isEmpty
  case "*": return (0...text.count).contains { isLike(text.dropFirst($0), rest) }
  case "?": return !text.isEmpty && isLike(text.dropFirst(), rest)
  case "\\" where rest.first.map { "?*\\".contains($0) } ?? false:
    return text.first == rest.first && isLike(text.dropFirst(), rest.dropFirst())
  default: return text.first == symbol && isLike(text.dropFirst(), rest)
  }
}
