import Foundation

extension ValueBytes {
  /// The value as an integer, if it is one exactly.
  @inline(__always)
  func integer<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
    if isBinary {
      switch kind {
      case .int4: return loaded(Int32.self).flatMap { Number(exactly: $0) }
      case .int8: return loaded(Int64.self).flatMap { Number(exactly: $0) }
      case .int2: return loaded(Int16.self).flatMap { Number(exactly: $0) }
      default: break
      }
    }
    return unusualInteger(type)
  }

  private func unusualInteger<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
    switch kind {
    case .float4, .float8: return double.flatMap { Number(exactly: $0) }
    case .numeric where isBinary: return BinaryNumeric(bytes)?.integer(type)
    case .oid where isBinary: return loaded(UInt32.self).flatMap { Number(exactly: $0) }
    case .int2, .int4, .int8, .oid, .numeric, .text, .other: return integerText(type)
    default: return nil
    }
  }

  /// An integer in decimal digits, of which those after a point are zeros.
  private func integerText<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
    var cursor = ByteCursor(bytes)
    let isNegative = cursor.take("-" as Unicode.Scalar)
    guard cursor.peek?.decimalDigit != nil else { return nil }
    var number: Number = 0
    while let digit = cursor.peek?.decimalDigit {
      guard let next = number.appending(Number(truncatingIfNeeded: digit), base: 10, isNegative) else {
        return nil
      }
      number = next
      _ = cursor.next()
    }
    if cursor.take("." as Unicode.Scalar) {
      while cursor.take("0" as Unicode.Scalar) {}
    }
    return cursor.isAtEnd ? number : nil
  }

  /// The value as a floating-point number, rounded to the nearest.
  var double: Double? {
    switch kind {
    case .float8 where isBinary: return loaded(UInt64.self).map { Double(bitPattern: $0) }
    case .float4: return float.map { Double($0) }
    case .int2 where isBinary, .int4 where isBinary, .int8 where isBinary, .oid where isBinary:
      return integer(Int64.self).map { Double($0) }
    case .numeric where isBinary: return BinaryNumeric(bytes).flatMap { Self.double($0.numberText) }
    case .float8, .int2, .int4, .int8, .oid, .numeric, .text, .other: return utf8.flatMap { Self.double($0) }
    default: return nil
    }
  }

  var float: Float? {
    guard kind == .float4 else {
      return double.flatMap { double in
        let float = Float(double)
        return float.isInfinite && double.isFinite ? nil : float
      }
    }
    return isBinary ? loaded(UInt32.self).map { Float(bitPattern: $0) } : utf8.flatMap { Self.float($0) }
  }

  // Swift reads the names of the special values as PostgreSQL writes them, but also hexadecimal numbers and others.
  private static func isNumber(_ text: String) -> Bool {
    ["NaN", "Infinity", "-Infinity"].contains { text.utf8.elementsEqual($0.utf8) }
      || text.utf8.allSatisfy { $0.decimalDigit != nil || "+-.eE".utf8.contains($0) }
  }

  static func double(_ text: String) -> Double? { number(text) }

  static func float(_ text: String) -> Float? { number(text) }

  /// The nearest number; nil beyond the largest, which would be an infinity.
  private static func number<Number: BinaryFloatingPoint & LosslessStringConvertible>(_ text: String)
    -> Number?
  {
    guard isNumber(text), let number = Number(text) else { return nil }
    return number.isInfinite && text.utf8.contains(where: { $0.decimalDigit != nil }) ? nil : number
  }
}

extension FixedWidthInteger {
  /// The number with one more digit; nil if it does not fit.
  func appending(_ digit: Self, base: Self, _ isNegative: Bool) -> Self? {
    let (product, productOverflows) = multipliedReportingOverflow(by: base)
    let (sum, sumOverflows) =
      isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
    return productOverflows || sumOverflows ? nil : sum
  }
}
