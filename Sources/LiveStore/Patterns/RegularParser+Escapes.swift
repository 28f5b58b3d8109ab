extension RegularParser {
  /// Reads what follows a backslash outside a class.
  mutating func parseEscape() throws(PatternError) {
    let start = place - 1
    if let assertion = parseAssertion() { return try append(assertion) }
    if skip("Q") { return try parseQuotation() }
    if skip("R") { return try append(lineBreakPart()) }
    if let test = try parseClassEscape(start) { return try append(part(of: ScalarSet(tests: [test]))) }
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

  /// Any scalar, or a carriage return with a line feed after it: these two are always consumed together.
  mutating func anyPart() -> RegularPart {
    let noReturn = part(of: ScalarSet(ranges: [0x0D...0x0D], isInverted: true))
    return RegularPart.any(of: [noReturn, Self.returnPart])
  }

  private mutating func lineBreakPart() -> RegularPart {
    let others = part(of: ScalarSet(ranges: [0x0A...0x0C, 0x85...0x85, 0x2028...0x2029]))
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
  mutating func parseClassEscape(_ start: Int) throws(PatternError) -> ScalarSet.Test? {
    let test: ScalarSet.Test
    switch peek() {
    case "d", "D": test = ScalarProperties.isDigit
    case "w", "W": test = ScalarProperties.isWord
    case "s", "S": test = ScalarProperties.isSpace
    case "h", "H": test = ScalarProperties.isBlank
    case "v", "V": test = ScalarProperties.isLineBreak
    case "p", "P": throw namedSet(start)
    default: return nil
    }
    place += 1
    return scalars[place - 1].properties.isUppercase ? { !test($0) } : test
  }
}
