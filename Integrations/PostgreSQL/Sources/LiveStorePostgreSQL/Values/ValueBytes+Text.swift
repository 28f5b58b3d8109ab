extension ValueBytes {
  /// The text of a value in any form, as the server writes it in UTC with ISO dates and hexadecimal `bytea`.
  ///
  /// - Parameter type: the type of the value.
  func text(_ type: PostgresType) -> String? {
    switch kind {
    case .date, .timestamp, .timestamptz: instant?.text(kind)
    case .bytea: data.map(Self.hexadecimal)
    case .float4: float.map { FloatText.text($0, "\($0)", digits: 6) }
    case .float8: double.map { FloatText.text($0, "\($0)", digits: 15) }
    case .numeric: numericText
    case .array:
      isBinary || type.element.map { $0.kind.hasSettings || $0.kind == .numeric } ?? false
        ? arrayText(type) : utf8
    default: isText ? utf8 : binaryText
    }
  }

  private var binaryText: String? {
    switch kind {
    case .bool: bool.map { $0 ? "t" : "f" }
    case .int2, .int4, .int8, .oid: integer(Int64.self).map { String($0) }
    case .uuid: uuid.map { "\($0)".lowercased() }
    case .jsonb: jsonb
    case .character: character
    case .time: timeText
    case .numeric, .text, .enumeration, .json, .date, .timestamp, .timestamptz, .bytea, .float4, .float8,
      .array,
      .other:
      nil
    }
  }

  /// The text of a `numeric`, which is the same from both forms.
  private var numericText: String? {
    guard isBinary else { return NumericText.isReadable(bytes) ? utf8 : nil }
    guard var text = BinaryNumeric(bytes)?.sentText else { return nil }
    return text.withUTF8 { NumericText.isReadable(UnsafeRawBufferPointer($0)) } ? text : nil
  }

  /// The text of a `jsonb`, before which there is the version of the form.
  private var jsonb: String? {
    guard bytes.first == 1 else { return nil }
    let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    return ValueBytes(bytes: rest, isBinary: false, kind: .json).utf8
  }

  /// A `"char"`, which is one byte, or nothing if that is zero. Others than ASCII are octal, as since PostgreSQL 16.
  private var character: String? {
    guard count == 1 else { return nil }
    switch bytes[0] {
    case 0: return ""
    case let byte where byte < 0x80: return String(Unicode.Scalar(byte))
    case let byte: return "\\" + String(byte, radix: 8)
    }
  }

  private var timeText: String? {
    guard let time = loaded(Int64.self), 0...86_400_000_000 ~= time else { return nil }
    return PostgresInstant.timeText(Int(time / 1_000_000), Int(time % 1_000_000))
  }

  private func arrayText(_ type: PostgresType) -> String? {
    let place = ColumnPlace(table: "", column: "")
    let value = FieldValue(
      bytes: Array(bytes), range: 0..<count, isBinary: isBinary, type: type, place: place)
    return ArrayValue(value)?.text
  }
}

extension PostgresType.Kind {
  /// Whether the text that the server writes depends on settings of the session, of the elements of arrays, too.
  var hasSettings: Bool {
    switch self {
    case .date, .timestamp, .timestamptz, .bytea, .float4, .float8, .array: true
    default: false
    }
  }
}

/// Floating-point numbers as the server writes them, with the fewest digits that give the number.
///
/// Of texts that are just half way to the next number the server takes a longer one. So that a value has the same text
/// in both forms, that of the server is not taken over either.
enum FloatText {
  /// The text of a number.
  ///
  /// - Parameters:
  ///   - shortest: the shortest digits that give the number, as Swift writes them.
  ///   - digits: the decimals that the type has at least; larger numbers have an exponent.
  static func text(_ number: some BinaryFloatingPoint, _ shortest: String, digits: Int) -> String {
    if number.isNaN { return "NaN" }
    if number.isInfinite { return number < 0 ? "-Infinity" : "Infinity" }
    let sign = number.sign == .minus ? "-" : ""
    if number == 0 { return sign + "0" }
    let parts = shortest.drop { $0 == "-" }.split(separator: "e")
    let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)  // By Character: digits.
    var all = String(mantissa[0] + (mantissa.count > 1 ? mantissa[1] : ""))
    // The value is 0.all * 10 ^ point.
    var point = mantissa[0].count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    while all.hasPrefix("0") {
      all.removeFirst()
      point -= 1
    }
    while all.hasSuffix("0") { all.removeLast() }
    let exponent = point - 1
    if exponent < -4 || exponent >= digits {
      let fraction = all.count > 1 ? "." + all.dropFirst() : ""
      let magnitude = String(exponent.magnitude)
      let padded = magnitude.count < 2 ? "0" + magnitude : magnitude
      return sign + String(all.prefix(1)) + fraction + (exponent < 0 ? "e-" : "e+") + padded
    }
    if point <= 0 { return sign + "0." + String(repeating: "0", count: -point) + all }
    if all.count <= point { return sign + all + String(repeating: "0", count: point - all.count) }
    return sign + String(all.prefix(point)) + "." + String(all.dropFirst(point))
  }
}
