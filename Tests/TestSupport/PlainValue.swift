import Foundation
package import LiveStore

// Values of any type, as the meaning of filters compares them.

/// The value without the optionals around it; JSON as lists, members and values.
func unwrapped(_ value: Any) -> Any? {
  if let json = value as? JSONValue { return json.plain }
  if let optional = value as? any MaybeMissing { return optional.content }
  return value is MissingValue ? nil : value
}

private protocol MaybeMissing { var content: Any? { get } }
extension Optional: MaybeMissing { fileprivate var content: Any? { flatMap { unwrapped($0) } } }

extension Constant {
  var plain: Any? {
    if let literal = value(as: FilterLiteral.self) { return literal.plain }
    if let literals = value(as: [FilterLiteral].self) { return literals.map(\.plain) }
    return value(as: Any.self).flatMap(unwrapped)
  }
}

extension FilterLiteral {
  fileprivate var plain: Any? {
    switch self {
    case .null: nil
    case .bool(let value): value
    case .number(let number), .fraction(let number): PlainNumber.written(number, isInteger: isInteger)
    case .double(let number): number
    case .decimal(let number): number
    case .notANumber: Double.nan
    case .text(let text), .objectID(let text): text
    case .data(let data): data
    case .date(let date): date.date
    case .uuid(let uuid): uuid
    case .object(_, let id): id.plain
    case .value(let value): value.plain
    }
  }

  private var isInteger: Bool {
    if case .number(let number) = self { ExactNumber(text: number.description).isIntegral } else { false }
  }
}

/// A value as relations compare it whose type is not known: objects and links as ids,
/// cases of enumerations as their raw values or names.
func plainValue(_ value: Any?) -> Any? {
  func raw<Raw: RawRepresentable>(_ value: Raw) -> Any? { plainValue(value.rawValue) }
  func id<Object: Identifiable>(_ value: Object) -> Any? { plainValue(value.id) }
  switch value.flatMap(unwrapped) {
  case let several as TermMeaning.Several: return several.values.map { plainValue($0) }
  case let url as URL: return url.absoluteString
  case let character as Character: return String(character)
  case let object as any Entity: return id(object)
  case let link as any PlainLink: return plainValue(link.target)
  case let value as any RawRepresentable: return raw(value)
  case let value as any CaseIterable: return "\(value)"
  case let value: return value
  }
}

extension JSONValue {
  fileprivate var plain: Any? {
    switch self {
    case .null: nil
    case .bool(let value): value
    case .number(let number): number
    case .string(let text): text
    case .array(let elements): elements.map(\.plain)
    case .object(let object): Dictionary(object.map { ($0.key, $0.value.plain) }) { _, last in last }
    }
  }
}

private protocol PlainLink { var target: Any { get } }
extension Ref: PlainLink { fileprivate var target: Any { id } }

/// The elements of a list; nil for any other value.
func plainList(_ value: Any?) -> [Any?]? {
  switch value {
  case is String, is Data, is any PlainMembers: nil
  case let values as any Collection: values.map { plainValue($0) }
  default: nil
  }
}

/// The elements of a list, or the values of an object.
func plainMembers(_ value: Any?) -> [Any?]? {
  (value as? any PlainMembers)?.values.map { plainValue($0) } ?? plainList(value)
}

private protocol PlainMembers { var values: [Any] { get } }
extension Dictionary: PlainMembers {
  /// In the order of their keys.
  fileprivate var values: [Any] { sorted { "\($0.key)" < "\($1.key)" }.map(\.value) }
}

func plainBytes(_ value: Any?) -> [UInt8]? { (value as? Data).map(Array.init) }

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
  if let members = left as? [String: Any?], let others = right as? [String: Any?] {
    return members.count == others.count
      && members.allSatisfy { key, value in others[key].map { areEqual(value, $0) } ?? false }
  }
  if let elements = left as? [Any?], let others = plainList(right) {
    return elements.count == others.count && zip(elements, others).allSatisfy { areEqual($0, $1) }
  }
  if left is PlainNumber || right is PlainNumber { return PlainNumber.order(left, right) == 0 }
  func isEqual<Value: Equatable>(_ left: Value) -> Bool {
    (right as? Value).map { left == $0 } ?? (PlainNumber.order(left, right) == 0)
  }
  return (left as? any Equatable).map { isEqual($0) } ?? false
}

/// Negative, zero or positive; nil for values without an order, NaN among them.
private func order(_ left: Any?, _ right: Any?) -> Int? {
  guard let left, let right else { return nil }
  if left is PlainNumber || right is PlainNumber { return PlainNumber.order(left, right) }
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
  /// A number that a text writes.
  case written(JSONNumber, isInteger: Bool)
  /// A number of JSON, which has no type, or what is computed of such numbers.
  case untyped(JSONNumber)
  case untypedReal(Double)

  private enum Kind { case integer, real, decimal, fraction, untyped }

  init?(_ value: Any?) {
    switch value {
    case let number as PlainNumber: self = number
    case let integer as any BinaryInteger: self = .integer(Int128(integer))
    case let real as Double: self = .real(real)
    // An integral one is itself, any other the number that it prints as.
    case let real as Float: self = .real(Int64(exactly: real).map { Double($0) } ?? Double("\(real)") ?? .nan)
    case let decimal as Decimal: self = .decimal(decimal)
    case let number as JSONNumber: self = .untyped(number)
    default: return nil
    }
  }

  private var kind: Kind {
    switch self {
    case .integer: .integer
    case .real: .real
    case .decimal: .decimal
    case .written(_, let isInteger): isInteger ? .integer : .fraction
    case .untyped, .untypedReal: .untyped
    }
  }

  /// The kind of an operation on both.
  private static func kind(_ left: PlainNumber, _ right: PlainNumber) -> Kind {
    let kinds = [left.kind, right.kind]
    if kinds.contains(.real) { return .real }
    if kinds.contains(.decimal) { return .decimal }
    if kinds.contains(.fraction) { return .real }
    return kinds.contains(.untyped) ? .untyped : .integer
  }

  var double: Double {
    switch self {
    case .integer(let integer): Double(integer)
    case .real(let real), .untypedReal(let real): real
    case .decimal(let decimal): Double("\(decimal)") ?? .nan
    case .written(let number, _), .untyped(let number): number.double
    }
  }

  private var exact: ExactNumber {
    switch self {
    case .integer(let integer): ExactNumber(integer)
    case .real(let real), .untypedReal(let real): ExactNumber(floating: real)
    case .decimal(let decimal): ExactNumber(decimal)
    case .written(let number, _), .untyped(let number): ExactNumber(text: number.description)
    }
  }

  private var clamped: Int {
    if case .integer(let integer) = self { Int(clamping: integer) } else { exact.clamped }
  }

  private var asDecimal: Decimal? {
    if case .decimal(let decimal) = self { decimal } else { Decimal(string: exactText) }
  }

  private var exactText: String {
    switch self {
    case .written(let number, _), .untyped(let number): number.description
    default: "\(self.double)"
    }
  }

  static func order(_ left: Any?, _ right: Any?) -> Int? {
    guard let left = PlainNumber(left), let right = PlainNumber(right) else { return nil }
    return ExactNumber.order(left.exact, right.exact)
  }

  /// Of integers the nearest `Int`, of decimals a number; nil where there is none, or where an operand is missing.
  static func result(_ left: Any?, _ operation: ArithmeticOperation, _ right: Any?) -> Any? {
    guard let left = PlainNumber(left), let right = PlainNumber(right) else { return nil }
    switch kind(left, right) {
    case .integer: return integer(left.clamped, operation, right.clamped)
    case .real, .fraction: return real(left.double, operation, right.double)
    case .decimal:
      guard let first = left.asDecimal, let second = right.asDecimal else { return nil }
      return decimal(first, operation, second)
    case .untyped:
      if case .untyped(let left) = left.asUntyped, case .untyped(let right) = right.asUntyped,
        let left = left.integer, let right = right.integer, operation != .power,
        operation != .divide || right == 0 || left % right == 0
      {
        return integer(Int(left), operation, Int(right)).map { PlainNumber.untyped(JSONNumber($0)) }
      }
      return PlainNumber.untypedReal(real(left.double, operation, right.double))
    }
  }

  /// A number as it is computed beside one without a type.
  private var asUntyped: PlainNumber {
    if case .written(let number, _) = self { .untyped(number) } else { self }
  }

  private static func integer(_ left: Int, _ operation: ArithmeticOperation, _ right: Int) -> Int? {
    let (first, second) = (Int128(left), Int128(right))
    switch operation {
    case .add: return Int(clamping: first + second)
    case .subtract: return Int(clamping: first - second)
    case .multiply: return Int(clamping: first * second)
    case .divide: return right == 0 ? nil : Int(clamping: first / second)
    case .power where right < 0:
      return left == 0 ? nil : left.magnitude == 1 ? (right % 2 == 0 ? 1 : left) : 0
    case .power:
      // Numbers above 1 are beyond `Int` after 64 steps, and all others go on as after the first ones.
      let steps = right > 64 ? 64 + right % 2 : right
      return (0..<steps).reduce(1) { result, _ in Int(clamping: Int128(result) * first) }
    }
  }

  private static func real(_ left: Double, _ operation: ArithmeticOperation, _ right: Double) -> Double {
    switch operation {
    case .add: left + right
    case .subtract: left - right
    case .multiply: left * right
    case .divide: left / right
    case .power: pow(left, right)
    }
  }

  private static func decimal(
    _ left: Decimal, _ operation: ArithmeticOperation, _ right: Decimal
  ) -> Decimal? {
    let result: Decimal? =
      switch operation {
      case .add: left + right
      case .subtract: left - right
      case .multiply: left * right
      case .divide: right == 0 ? nil : left / right
      case .power: nil
      }
    return result.flatMap { left.isNaN || right.isNaN || $0.isNaN ? nil : $0 }
  }

  /// The result of a function; nil of a missing number.
  static func result(_ function: NumberFunction, _ value: Any?) -> Any? {
    guard let number = PlainNumber(value) else { return nil }
    if function == .double { return number.double }
    if function == .sqrt { return number.double.squareRoot() }
    switch number {
    case .integer, .written(_, isInteger: true):
      return function == .abs ? Int(clamping: number.clamped.magnitude) : number.clamped
    case .untyped(let json) where json.integer != nil && json.integer != .min:
      return function == .abs ? PlainNumber.untyped(JSONNumber(number.clamped.magnitude)) : number
    case .decimal(let decimal):
      if function == .abs { return decimal.magnitude }
      let mode: NSDecimalNumber.RoundingMode =
        function == .floor ? .down : function == .ceiling ? .up : decimal < 0 ? .up : .down
      var (value, result) = (decimal, Decimal())
      NSDecimalRound(&result, &value, 0, mode)
      return result
    case .real, .written, .untyped, .untypedReal:
      let double = number.double
      let rule: FloatingPointRoundingRule =
        function == .floor ? .down : function == .ceiling ? .up : .towardZero
      let result = function == .abs ? double.magnitude : double.rounded(rule)
      return number.kind == .untyped ? PlainNumber.untypedReal(result) : result as Any
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
    case (_, .untyped), (_, .untypedReal):
      let integers = numbers.compactMap { if case .untyped(let number) = $0 { number.integer } else { nil } }
      if integers.count < numbers.count {
        return PlainNumber.untypedReal(numbers.reduce(0) { $0 + $1.double })
      }
      return PlainNumber.untyped(JSONNumber(integers.reduce(Int128(0)) { $0 + Int128($1) }))
    default: return 0
    }
  }

  static func mean(_ values: [Any]) -> Double? {
    let numbers = values.compactMap { PlainNumber($0) }
    return numbers.isEmpty ? nil : numbers.map(\.double).reduce(0, +) / Double(numbers.count)
  }
}

// MARK: Texts

/// Whether a text passes a test by its characters, folded by Foundation where an option says so. Regular expressions are
/// the library's, which foreign cases check.
package func passes(_ text: String, _ test: TextTest, _ part: String, _ options: TextOptions) -> Bool {
  if test == .matches { return test.matcher(part, options)(text) }
  let (text, part) = (characters(text, options), characters(part, options))
  return switch test {
  case .equals: text == part
  case .beginsWith: text.starts(with: part)
  case .endsWith: text.reversed().starts(with: part.reversed())
  case .contains: (0...text.count).contains { text[$0...].starts(with: part) }
  case .like: isLike(text[...], part[...])
  case .matches: false
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
