import Foundation

/// Converts values of a text filter to the types of properties.
enum FilterConversion {
  /// The value of a type that a literal stands for; nil if the type has no such number.
  ///
  /// Throws if the literal is of another kind than the type.
  static func value<Value>(of literal: FilterLiteral, as _: Value.Type) throws(FilterStepError) -> Value? {
    if case .value(let constant) = literal, let value = constant.value(as: Value.self) { return value }
    if let value = try simple(literal.untyped, Value.self) { return value.value }
    if let type = Value.self as? any OptionalValue.Type { return try optional(literal, type) }
    if let type = Value.self as? any FilterLink.Type { return try link(literal, type) }
    if let type = Value.self as? any RawRepresentable.Type { return try raw(literal, type) }
    if let type = Value.self as? any CaseIterable.Type { return try enumeration(literal, type) }
    throw mismatch(literal, Value.self)
  }

  /// The value of a floating-point type, optional or not, that is nearest to a number which the type does not have, and
  /// whether it is below the number; nil for other types (F12).
  static func nearest<Value>(to number: FilterNumber, as _: Value.Type) -> (value: Value, isBelow: Bool)? {
    func floating<Float: BinaryFloatingPoint>(_: Float.Type) -> (value: Value, isBelow: Bool)? {
      func order(_ value: Float) -> Int { FilterNumber.order(FilterNumber(floating: value), number) ?? 0 }
      var value = Float(number.double)
      // The double was rounded before, so its neighbour may be nearer.
      while order(value) > 0, order(value.nextDown) > 0 { value = value.nextDown }
      while order(value) < 0, order(value.nextUp) < 0 { value = value.nextUp }
      let order = order(value)
      return order == 0 ? nil : (value as? Value).map { ($0, order < 0) }
    }
    func wrapped<Optional: OptionalValue>(_: Optional.Type) -> (value: Value, isBelow: Bool)? {
      nearest(to: number, as: Optional.Wrapped.self).flatMap { found in
        (Optional(wrapping: found.value) as? Value).map { ($0, found.isBelow) }
      }
    }
    if let type = Value.self as? any OptionalValue.Type { return wrapped(type) }
    return (Value.self as? any BinaryFloatingPoint.Type).flatMap { floating($0) }
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
    case (.number(let number), let type as any BinaryInteger.Type),
      (.fraction(let number), let type as any BinaryInteger.Type):
      return Converted(value: integer(number, type) as? Value)
    case (.number(let number), let type as any BinaryFloatingPoint.Type),
      (.fraction(let number), let type as any BinaryFloatingPoint.Type):
      return Converted(value: float(number, type) as? Value)
    case (.number(let number), is Decimal.Type), (.fraction(let number), is Decimal.Type):
      return Converted(value: FilterNumber(number).exactDecimal as? Value)
    // Of numbers that are written, only the infinities are left.
    case (.double(let value), let type as any BinaryFloatingPoint.Type):
      return Converted(value: float(value, type) as? Value)
    case (.notANumber, let type as any BinaryFloatingPoint.Type):
      return Converted(value: float(.nan, type) as? Value)
    case (.notANumber, is Decimal.Type): return Converted(value: Decimal.nan as? Value)
    case (.double, is Decimal.Type), (.double, is any BinaryInteger.Type),
      (.notANumber, is any BinaryInteger.Type):
      return Converted(value: nil)
    case (.text(let text), is String.Type): return Converted(value: text as? Value)
    case (.text(let text), is Substring.Type): return Converted(value: Substring(text) as? Value)
    case (.text(let text), is URL.Type): return Converted(value: URL(string: text) as? Value)
    case (.text(let text), is Character.Type):
      return Converted(value: text.dropFirst().isEmpty ? text.first as? Value : nil)
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
    if !number.isIntegral { return nil }
    return Int128(number.digits).flatMap { Integer(exactly: $0) }
      ?? UInt128(number.digits).flatMap { Integer(exactly: $0) }
  }

  /// Nil if the type has no number of this value.
  private static func float<Float: BinaryFloatingPoint>(_ number: JSONNumber, _: Float.Type) -> Float? {
    let value = Float(number.double)
    let read = ValueConversion<Float>().convert(value)
    return FilterValue.areEqual(read, .number(FilterNumber(number))) ? value : nil
  }

  /// An infinity or NaN.
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
      guard isSameText(entity, "\(Link.Target.self)") else {
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
    // It compares names.
    let hasManyMarks = (rawValue as? String)?.hasManyMarks ?? false
    if !hasManyMarks, let value = Raw(rawValue: rawValue) { return value as? Value }
    if let type = Raw.self as? any CaseIterable.Type { throw unknownCase(literal, type) }
    throw FilterStepError(message: "\(Raw.self) has no value \(literal)")
  }

  private static func enumeration<Value, Cases: CaseIterable>(
    _ literal: FilterLiteral, _: Cases.Type
  ) throws(FilterStepError) -> Value? {
    guard case .text(let name) = literal else { throw mismatch(literal, Cases.self) }
    guard let value = Cases.allCases.first(where: { isSameText("\($0)", name) }) else {
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
