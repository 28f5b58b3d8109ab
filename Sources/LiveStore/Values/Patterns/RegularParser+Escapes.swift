extension RegularParser {
  /// Reads what follows a backslash outside a class.
  mutating func parseEscape() throws(PatternError) {
    let start = place - 1
    if let assertion = parseAssertion() { return try append(assertion) }
    if skip("Q") { return try parseQuotation() }
    if skip("R") { return try append(lineBreakPart()) }
    if let test = try parseClassEscape(start) { return try append(set: test) }
    try append(parseScalarEscape(start))
  }

  private mutating func parseAssertion() -> RegularAssertion? {
    if skip("A") { return .textStart }
    if skip("z") { return .textEnd }
    if skip("Z") { return .lastLineEnd }
    if skip("b") { return .wordBoundary }
    return skip("B") ? .noWordBoundary : nil
  }

  private mutating func parseQuotation() throws(PatternError) {
    while !skip("\\E"), let scalar = next() { try append(scalar) }
  }

  /// Any scalar, or a carriage return with a line feed after it: two that are always taken together.
  mutating func anyPart() -> RegularPart {
    let noReturn = setPart(.inverted(.ranges([0x0D...0x0D])))
    return RegularPart.any(of: [noReturn, Self.returnPart])
  }

  private mutating func lineBreakPart() -> RegularPart {
    let others = setPart(
      .steps([
        ScalarTest.Step(operation: .union, test: .property(ScalarProperties.isLineBreak)),
        ScalarTest.Step(operation: .difference, test: .ranges([0x0D...0x0D])),
      ]))
    return RegularPart.any(of: [others, Self.returnPart])
  }

  /// A carriage return, and a line feed if there is one after it.
  private static var returnPart: RegularPart {
    var both = RegularPart()
    both.append(.scalar(0x0A))
    var alone = RegularPart()
    alone.append(.assertion(.noLineFeed))
    var result = RegularPart()
    result.append(.scalar(0x0D))
    result.append(RegularPart.any(of: [both, alone]))
    return result
  }

  /// Reads an escape that stands for a set, after its backslash; nil if it is none.
  mutating func parseClassEscape(_ start: Int) throws(PatternError) -> ScalarTest? {
    let test: ScalarProperties.Test
    switch peek() {
    case "d", "D": test = ScalarProperties.isDigit
    case "w", "W": test = ScalarProperties.isWord
    case "s", "S": test = ScalarProperties.isSpace
    case "h", "H": test = ScalarProperties.isBlank
    case "v", "V": test = ScalarProperties.isLineBreak
    case "p", "P":
      guard peek(1) == "{", let end = scalars[place...].firstIndex(of: "}") else {
        throw error("a property is \\p{name}", at: start)
      }
      let letter = scalars[place]
      let property = try property(scalars[(place + 2)..<end], at: start)
      place = end + 1
      return letter == "P" ? .inverted(property) : property
    default: return nil
    }
    place += 1
    return scalars[place - 1].properties.isUppercase ? .inverted(.property(test)) : .property(test)
  }

  /// The scalars with a property.
  func property(_ name: ArraySlice<Unicode.Scalar>, at place: Int) throws(PatternError) -> ScalarTest {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: name)
    guard let test = ScalarProperties.named(String(text)) else {
      throw error(
        "there is no property \(String(text)): general categories and binary properties are supported, scripts are not",
        at: place)
    }
    return flags.isCaseInsensitive ? .anyCase(.property(test)) : .property(test)
  }
}
