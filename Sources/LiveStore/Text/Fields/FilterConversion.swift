import Foundation

/// Converts values of a text filter to the types of properties.
enum FilterConversion {
  /// The value of a type that a literal stands for; nil if the type has no such number.
  ///
  /// Throws if the literal is of another kind than the type.
  static func value<Value>(of literal: FilterLiteral, as _: Value.Type) throws(FilterStepError) -> Value? {
    if case .value(let constant) = literal, let value = constant.value(as: Value.self) { return value }
    if let value = try simple(literal, Value.self) { return value.value }
    if let type = Value.self as? any OptionalValue.Type { return try optional(literal, type) }
    if let type = Value.self as? any FilterLink.Type { return try link(literal, type) }
    if let type = Value.self as? any RawRepresentable.Type { return try raw(literal, type) }
    if let type = Value.self as? any CaseIterable.Type { return try enumeration(literal, type) }
    throw mismatch(literal, Value.self)
  }

  /// Whether a type is one of integers, or an optional of one.
  static func isInteger<Value>(_: Value.Type) -> Bool {
    func wrapped<Optional: OptionalValue>(_: Optional.Type) -> Bool { isInteger(Optional.Wrapped.self) }
    if let type = Value.self as? any OptionalValue.Type { return wrapped(type) }
    return Value.self is any BinaryInteger.Type
  }

  private static func mismatch<Value>(_ literal: FilterLiteral, _: Value.Type) -> FilterStepError {
    let kind = FilterKind.of(Value.self)
    var message = "it is \(kind.described), and cannot be compared with \(FilterKind(literal).described)"
    if kind == .date { message += "; give the date as an argument, %@, or write date(1700000000,0)" }
    return FilterStepError(message: message)
  }

  /// The result of a conversion that knows the type: a value, or nil if the type has no such value.
  private struct Converted<Value> {
    let value: Value?
  }

  private static func simple<Value>(
    _ literal: FilterLiteral, _: Value.Type
  ) throws(FilterStepError) -> Converted<Value>? {
    switch (literal, Value.self) {
    case (.bool(let value), is Bool.Type): return Converted(value: value as? Value)
    case (.number(let number), is Bool.Type):
      guard number.integer == 0 || number.integer == 1 else { throw mismatch(literal, Value.self) }
      return Converted(value: (number.integer == 1) as? Value)
    case (.number(let number), let type as any BinaryInteger.Type):
      return Converted(value: integer(number, type) as? Value)
    case (.number(let number), let type as any BinaryFloatingPoint.Type):
      return Converted(value: float(number, type) as? Value)
    case (.double(let value), let type as any BinaryFloatingPoint.Type):
      return Converted(value: float(value, type) as? Value)
    case (.double(let value), let type as any BinaryInteger.Type):
      return Converted(value: integer(value, type) as? Value)
    case (.double(let value), is Decimal.Type):
      guard let number = JSONNumber(value) else { return Converted(value: nil) }
      return Converted(value: Decimal(string: number.description) as? Value)
    case (.number(let number), is Decimal.Type):
      let decimal = Decimal(string: number.description)
      return Converted(value: decimal as? Value)
    case (.text(let text), is String.Type): return Converted(value: text as? Value)
    case (.text(let text), is URL.Type): return Converted(value: URL(string: text) as? Value)
    case (.text(let text), is Character.Type) where text.count == 1:
      return Converted(value: text.first as? Value)
    case (.text(let text), is UUID.Type):
      guard let uuid = UUID(uuidString: text) else { throw mismatch(literal, Value.self) }
      return Converted(value: uuid as? Value)
    case (.text(let text), is Data.Type): return Converted(value: Data(text.utf8) as? Value)
    case (.uuid(let uuid), is UUID.Type): return Converted(value: uuid as? Value)
    case (.date(let date), is Date.Type): return Converted(value: date.date as? Value)
    case (.data(let data), is Data.Type): return Converted(value: data as? Value)
    case (_, is JSONValue.Type): return literal.json.map { Converted(value: $0 as? Value) }
    default: return nil
    }
  }

  private static func integer<Integer: BinaryInteger>(_ number: JSONNumber, _: Integer.Type) -> Integer? {
    if let value = number.integer { return Integer(exactly: value) }
    if let value = UInt64(number.description) { return Integer(exactly: value) }
    return JSONNumber(number.double) == number ? Integer(exactly: number.double) : nil
  }

  private static func integer<Integer: BinaryInteger>(_ value: Double, _: Integer.Type) -> Integer? {
    Integer(exactly: value)
  }

  /// Nil if the type has no number of this value.
  private static func float<Float: BinaryFloatingPoint>(_ number: JSONNumber, _: Float.Type) -> Float? {
    let value = Float(number.double)
    let read = ValueConversion<Float>().convert(value)
    return FilterValue.areEqual(read, .number(FilterNumber(number))) ? value : nil
  }

  private static func float<Float: BinaryFloatingPoint>(_ value: Double, _: Float.Type) -> Float {
    Float(value)
  }

  private static func optional<Value, Optional: OptionalValue>(
    _ literal: FilterLiteral, _: Optional.Type
  ) throws(FilterStepError) -> Value? {
    guard let wrapped = try value(of: literal, as: Optional.Wrapped.self) else { return nil }
    return Optional(wrapping: wrapped) as? Value
  }

  private static func link<Value, Link: FilterLink>(
    _ literal: FilterLiteral, _: Link.Type
  ) throws(FilterStepError) -> Value? {
    if case .value(let constant) = literal, let object = constant.value(as: Link.Target.self) {
      return (object.id as? Link.ID).flatMap { Link(id: $0) as? Value }
    }
    var id = literal
    if case .object(let entity, let inner) = literal {
      guard entity == "\(Link.Target.self)" else {
        throw FilterStepError(message: "it links to \(Link.Target.self), and not to \(entity)")
      }
      id = inner
    }
    return try value(of: id, as: Link.ID.self).flatMap { Link(id: $0) as? Value }
  }

  private static func raw<Value, Raw: RawRepresentable>(
    _ literal: FilterLiteral, _: Raw.Type
  ) throws(FilterStepError) -> Value? {
    guard let rawValue = try value(of: literal, as: Raw.RawValue.self) else { return nil }
    if let value = Raw(rawValue: rawValue) { return value as? Value }
    if let type = Raw.self as? any CaseIterable.Type { throw unknownCase(literal, type) }
    throw FilterStepError(message: "\(Raw.self) has no value \(literal)")
  }

  private static func enumeration<Value, Cases: CaseIterable>(
    _ literal: FilterLiteral, _: Cases.Type
  ) throws(FilterStepError) -> Value? {
    guard case .text(let name) = literal else { throw mismatch(literal, Cases.self) }
    guard let value = Cases.allCases.first(where: { "\($0)" == name }) else {
      throw unknownCase(literal, Cases.self)
    }
    return value as? Value
  }

  private static func unknownCase<Cases: CaseIterable>(
    _ literal: FilterLiteral, _: Cases.Type
  ) -> FilterStepError {
    let names = Cases.allCases.map { value in
      (value as? any RawRepresentable).map { "\($0.rawValue)" } ?? "\(value)"
    }
    var suggestion: String?
    if case .text(let name) = literal { suggestion = NearestWord.find(name, in: names) }
    return FilterStepError(message: "\(Cases.self) has no case \(literal)", suggestion: suggestion)
  }
}

extension FilterLiteral {
  /// The value as JSON; nil for what JSON does not have.
  var json: JSONValue? {
    switch self {
    case .null: .null
    case .bool(let value): .bool(value)
    case .number(let number): .number(number)
    case .double(let value): JSONNumber(value).map { .number($0) }
    case .text(let text): .string(text)
    default: nil
    }
  }

  /// The nearest double of a number.
  var number: Double? {
    switch self {
    case .number(let number): number.double
    case .double(let value): value
    default: nil
    }
  }
}
