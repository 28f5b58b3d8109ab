extension FilterLexer {
  /// Reads `12`, `.5`, `1.5e-3`, `0xFF`, `0b101`, `0o17`.
  mutating func number() throws(FilterSyntaxError) -> FilterToken.Kind {
    let start = index
    if scalars[start] == "0", let radix = peek(1).flatMap({ Self.radixes[$0] }) {
      return try number(radix: radix)
    }
    digits()
    if peek() == "." && (index > start && peek(1) != "." || peek(1).map(Self.isDigit) ?? false) {
      index += 1
      digits()
    }
    if peek() == "e" || peek() == "E" {
      let signed = peek(1) == "-" || peek(1) == "+" ? 2 : 1
      if peek(signed).map(Self.isDigit) ?? false {
        index += signed
        digits()
      }
    }
    let number = JSONNumber(decimalText: decimalText(from: start))
    if peek() == "f" && !(peek(1).map(Self.isWordPart) ?? false) { index += 1 }
    guard let number else {
      throw error("number out of range (that of a 64-bit floating-point number)", at: start)
    }
    // `7 / 2.0` is no division of integers.
    let isReal = scalars[start..<index].contains { $0 == "." || $0 == "e" || $0 == "E" || $0 == "f" }
    return .literal(isReal && number.isIntegral ? .fraction(number) : .number(number))
  }

  /// The number as JSON writes it: with a digit on both sides of the point, and without zeros before it.
  private func decimalText(from start: Int) -> String {
    var text = text(from: start)
    if text.utf8.first == UInt8(ascii: ".") { text = "0" + text }
    if let point = text.utf8.firstIndex(of: UInt8(ascii: ".")),
      !(text[point...].dropFirst().first?.isNumber ?? false)
    {
      text.remove(at: point)
    }
    let zeros = text.prefix { $0 == "0" }.count
    let isBeforeDigit = text.dropFirst(zeros).first?.isNumber ?? false
    return String(text.dropFirst(isBeforeDigit ? zeros : max(0, zeros - 1)))
  }

  private static let radixes: [Unicode.Scalar: Int] = ["x": 16, "X": 16, "b": 2, "B": 2, "o": 8, "O": 8]

  private mutating func number(radix: Int) throws(FilterSyntaxError) -> FilterToken.Kind {
    let start = index
    index += 2
    let first = index
    while let scalar = peek(), Self.isWordPart(scalar) { index += 1 }
    let digits = text(from: first)
    guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.hexDigitValue ?? 16 < radix }) else {
      throw error("expected digits of base \(radix) after \(text(from: start).prefix(2))", at: start)
    }
    guard let value = UInt64(digits, radix: radix) else {
      throw error("the number does not fit 64 bits", at: start)
    }
    return .literal(.number(JSONNumber(value)))
  }

  private mutating func digits() {
    while let scalar = peek(), Self.isDigit(scalar) { index += 1 }
  }

  /// Reads digits with an optional sign; nil if there are none, or too many.
  mutating func signedInteger() -> Int64? {
    let start = index
    if peek() == "-" || peek() == "+" { index += 1 }
    digits()
    return Int64(text(from: start))
  }
}
