import Foundation

/// Converts values of a text filter to the types of properties.
enum FilterConversion {
  /// The value of a type that a literal stands for; nil if the type has no such number.
  ///
  /// Throws if the literal is of another kind than the type.
  static func value<Value>(of literal: FilterLiteral, as _: Value.Type) throws(FilterStepError) -> Value? {
    try converted(literal, Value.self).flatMap { $0 as? Value }
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
    let kind = ValueTraits(Value.self).kind
    var message = "it is \(kind.described), and cannot be compared with \(FilterKind(literal).described)"
    if kind == .date { message += "; give the date as an argument, %@, or write date(1700000000,0)" }
    return FilterStepError(message: message)
  }

  /// The same, without the type.
  private static func converted<Value>(
    _ literal: FilterLiteral, _: Value.Type
  ) throws(FilterStepError) -> Any? {
    if case .value(let constant) = literal, let value = constant.value(as: Value.self) { return value }
    switch (literal.untyped, Value.self) {
    case (.bool(let value), is Bool.Type): return value
    case (.number(let number), is Bool.Type):
      if number.integer == 0 || number.integer == 1 { return number.integer == 1 }
    case (.number(let number), let type as any BinaryInteger.Type),
      (.fraction(let number), let type as any BinaryInteger.Type):
      return integer(number, type)
    case (.number(let number), let type as any BinaryFloatingPoint.Type),
      (.fraction(let number), let type as any BinaryFloatingPoint.Type):
      return float(number, type)
    case (.number(let number), is Decimal.Type), (.fraction(let number), is Decimal.Type):
      return FilterNumber(number).exactDecimal
    // Of numbers that are written, only the infinities are left.
    case (.double(let value), let type as any BinaryFloatingPoint.Type): return float(value, type)
    case (.notANumber, let type as any BinaryFloatingPoint.Type): return float(.nan, type)
    case (.notANumber, is Decimal.Type): return Decimal.nan
    case (.double, is Decimal.Type), (.double, is any BinaryInteger.Type),
      (.notANumber, is any BinaryInteger.Type):
      return nil
    case (.text(let text), is String.Type): return text
    case (.text(let text), is Substring.Type): return Substring(text)
    case (.text(let text), is URL.Type): return URL(string: text)
    case (.text(let text), is Character.Type): return text.dropFirst().isEmpty ? text.first : nil
    case (.text(let text), is UUID.Type): if let uuid = UUID(uuidString: text) { return uuid }
    case (.text(let text), is Data.Type): return Data(text.utf8)
    case (.uuid(let uuid), is UUID.Type): return uuid
    case (.date(let date), is Date.Type): return date.date
    case (.data(let data), is Data.Type): return data
    case (_, is JSONValue.Type): if let json = literal.json { return json }
    case (_, let type as any OptionalValue.Type): return try wrapped(literal, type)
    case (_, let type as any FilterLink.Type): return try link(literal, type)
    case (_, let type as any RawRepresentable.Type): return try raw(literal, type)
    case (_, let type as any CaseIterable.Type): return try enumeration(literal, type)
    default: break
    }
    throw mismatch(literal, Value.self)
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

  private static func wrapped<Optional: OptionalValue>(
    _ literal: FilterLiteral, _: Optional.Type
  ) throws(FilterStepError) -> Any? { try converted(literal, Optional.Wrapped.self) }

  private static func link<Link: FilterLink>(
    _ literal: FilterLiteral, _: Link.Type
  ) throws(FilterStepError) -> Link? {
    if case .value(let constant) = literal, let object = constant.value(as: Link.Target.self) {
      return (object.id as? Link.ID).map(Link.init(id:))
    }
    var id = literal
    if case .object(let entity, let inner) = literal {
      guard isSameText(entity, "\(Link.Target.self)") else {
        throw FilterStepError(message: "it links to \(Link.Target.self), and not to \(entity)")
      }
      id = inner
    }
    return try value(of: id, as: Link.ID.self).map(Link.init(id:))
  }

  private static func raw<Raw: RawRepresentable>(
    _ literal: FilterLiteral, _: Raw.Type
  ) throws(FilterStepError) -> Raw? {
    guard let rawValue = try value(of: literal, as: Raw.RawValue.self) else { return nil }
    // It compares names.
    let hasManyMarks = (rawValue as? String)?.hasManyMarks ?? false
    if !hasManyMarks, let value = Raw(rawValue: rawValue) { return value }
    if let type = Raw.self as? any CaseIterable.Type { throw unknownCase(literal, type) }
    throw FilterStepError(message: "\(Raw.self) has no value \(literal)")
  }

  private static func enumeration<Cases: CaseIterable>(
    _ literal: FilterLiteral, _: Cases.Type
  ) throws(FilterStepError) -> Cases {
    guard case .text(let name) = literal else { throw mismatch(literal, Cases.self) }
    guard let value = Cases.allCases.first(where: { isSameText("\($0)", name) }) else {
      throw unknownCase(literal, Cases.self)
    }
    return value
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
