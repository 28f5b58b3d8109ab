extension RegularParser {
  /// Reads an escape that stands for one scalar, after its backslash.
  mutating func parseScalarEscape(_ start: Int) throws(PatternError) -> Unicode.Scalar {
    guard let scalar = next() else {
      throw error("there is nothing after the last \\; write \\\\ for the character", at: start)
    }
    switch scalar {
    case "t": return "\t"
    case "n": return "\n"
    case "r": return "\r"
    case "f": return "\u{C}"
    case "a": return "\u{7}"
    case "e": return "\u{1B}"
    case "c": return try parseControl(start)
    case "0": return try parseCode(radix: 8, 1...3, start)
    case "u": return try parseCode(radix: 16, 4...4, start)
    case "U": return try parseCode(radix: 16, 8...8, start)
    case "x":
      guard skip("{") else { return try parseCode(radix: 16, 1...2, start) }
      let scalar = try parseCode(radix: 16, 1...6, start)
      if skip("}") { return scalar }
      throw error("the \\x{ has no closing }", at: start)
    default:
      if !scalar.isASCII || !scalar.properties.isAlphabetic && !("0"..."9").contains(scalar) { return scalar }
      throw unknownEscape(scalar, start)
    }
  }

  private func unknownEscape(_ scalar: Unicode.Scalar, _ start: Int) -> PatternError {
    switch scalar {
    case "1"..."9", "k":
      error("references to groups are not supported: they cannot be matched in bounded time", at: start)
    case "G", "X", "N", "R":
      error("\\\(scalar) is not supported here", at: start)
    default:
      error("\\\(scalar) means nothing; write \(scalar) for the character", at: start)
    }
  }

  private mutating func parseControl(_ start: Int) throws(PatternError) -> Unicode.Scalar {
    guard let letter = next(), letter.isASCII else { throw error("\\c needs an ASCII character", at: start) }
    return Unicode.Scalar(UInt8(letter.value & 0x1F))
  }

  /// Reads the number of a scalar.
  private mutating func parseCode(
    radix: UInt32, _ lengths: ClosedRange<Int>, _ start: Int
  ) throws(PatternError) -> Unicode.Scalar {
    var (value, length): (UInt32, Int) = (0, 0)
    while length < lengths.upperBound, let digit = peek()?.digit, digit < radix, value < 0x1000_0000 {
      value = value * radix + digit
      length += 1
      place += 1
    }
    guard length >= lengths.lowerBound else {
      throw error(
        "the escape needs \(lengths.lowerBound) digit\(lengths.lowerBound == 1 ? "" : "s") or more", at: start
      )
    }
    guard let scalar = Unicode.Scalar(value) else {
      throw error("there is no Unicode scalar \(String(value, radix: 16, uppercase: true))", at: start)
    }
    return scalar
  }
}

extension Unicode.Scalar {
  /// Its value as a digit of any radix up to 16.
  fileprivate var digit: UInt32? {
    switch self {
    case "0"..."9": value - 0x30
    case "A"..."F": value - 0x41 + 10
    case "a"..."f": value - 0x61 + 10
    default: nil
    }
  }
}
