/// The properties of scalars that the escapes of a regular expression name.
enum ScalarProperties {
  static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .decimalNumber
  }

  static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }

  static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\t" || scalar.properties.generalCategory == .spaceSeparator
  }

  static func isLineBreak(_ scalar: Unicode.Scalar) -> Bool { RegularAssertion.isLineBreak(scalar.value) }

  /// Letters, marks, decimal digits, connectors and joiners.
  static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      return ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
        || scalar == "_"
    }
    return switch scalar.properties.generalCategory {
    case .decimalNumber, .connectorPunctuation, .nonspacingMark, .spacingMark, .enclosingMark: true
    default: scalar.properties.isAlphabetic || scalar == "\u{200C}" || scalar == "\u{200D}"
    }
  }
}
