/// The properties of scalars that a regular expression can name.
enum ScalarProperties {
  typealias Test = @Sendable (Unicode.Scalar) -> Bool

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

  private static func isGraph(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .surrogate, .unassigned: false
    default: !isSpace(scalar)
    }
  }

  /// The property with a name, as `\p{…}` and `[:…:]` have it; nil if it is not known. Case, spaces, hyphens and
  /// underscores in the name do not count. `name=yes` and `gc=name` are names, too.
  static func named(_ name: String) -> Test? {
    let parts = name.unicodeScalars.split(separator: "=", omittingEmptySubsequences: false).map { part in
      String(part).lowercased().filter { !" \t-_".contains($0) }
    }
    if parts.count == 1 {
      if let test = simple(parts[0]) { return test }
      return parts[0].hasPrefix("is") ? simple(String(parts[0].dropFirst(2))) : nil
    }
    guard parts.count == 2 else { return nil }
    if ["gc", "generalcategory"].contains(parts[0]) { return category(parts[1]) }
    guard let property = binary[parts[0]] else { return nil }
    if ["yes", "y", "true", "t"].contains(parts[1]) { return { property($0.properties) } }
    if ["no", "n", "false", "f"].contains(parts[1]) { return { !property($0.properties) } }
    return nil
  }

  private static func simple(_ name: String) -> Test? {
    switch name {
    case "any", "all": return { _ in true }
    case "ascii": return { $0.isASCII }
    case "assigned": return { $0.properties.generalCategory != .unassigned }
    case "word": return isWord
    case "alnum": return { $0.properties.isAlphabetic || isDigit($0) }
    case "blank": return isBlank
    case "graph": return isGraph
    case "print":
      return {
        isBlank($0) && $0 != "\t" || isGraph($0)
      }
    case "xdigit": return { isDigit($0) || $0.properties.isHexDigit }
    default:
      if let property = binary[name] { return { property($0.properties) } }
      return category(name)
    }
  }

  private static func category(_ name: String) -> Test? {
    guard let categories = categories[name] else { return nil }
    return { categories.contains($0.properties.generalCategory) }
  }
}
