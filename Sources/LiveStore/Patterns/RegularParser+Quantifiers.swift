extension RegularParser {
  /// Reads a quantifier that begins with the scalar, and repeats the last item.
  mutating func parseQuantifier(_ scalar: Unicode.Scalar) throws(PatternError) {
    let start = place - 1
    let bounds = try parseBounds(scalar, start)
    if skip("+") {
      throw error("possessive quantifiers are not supported; leave the + out", at: place - 1)
    }
    // A lazy quantifier finds another match first, but the whole text matches or does not.
    _ = skip("?")
    switch try takeItem() {
    case .part(let part):
      guard let repeated = repeated(part, bounds) else { throw tooManyStates() }
      try appendToGroup(repeated)
    case .repeated:
      throw error("\(scalar) repeats what is repeated already; use a group (?:…) around it", at: start)
    default:
      throw error(
        "there is nothing before \(scalar) that it can repeat; write \\\(scalar) for the character", at: start
      )
    }
  }

  private func repeated(_ part: RegularPart, _ bounds: (minimum: Int, maximum: Int?)) -> RegularPart? {
    part.repeated(bounds.minimum, bounds.maximum, limit: RegularPattern.maximumStates)
  }

  private mutating func parseBounds(
    _ scalar: Unicode.Scalar, _ start: Int
  ) throws(PatternError) -> (minimum: Int, maximum: Int?) {
    switch scalar {
    case "*": return (0, nil)
    case "+": return (1, nil)
    case "?": return (0, 1)
    default: break
    }
    let minimum = try parseNumber()
    var maximum: Int? = minimum
    skipSpace()
    if skip(",") {
      skipSpace()
      maximum = peek() == "}" ? nil : try parseNumber()
      skipSpace()
    }
    guard skip("}") else { throw error("the repetition has no closing }", at: start) }
    if let maximum, maximum < minimum {
      throw error("the repetition has a maximum, \(maximum), below its minimum, \(minimum)", at: start)
    }
    return (minimum, maximum)
  }

  private mutating func skipSpace() {
    while flags.ignoresSpace, let scalar = peek(), scalar.properties.isPatternWhitespace { place += 1 }
  }

  /// Reads a number; any that is above the limit is the limit plus one.
  private mutating func parseNumber() throws(PatternError) -> Int {
    skipSpace()
    let start = place
    var number = 0
    while let scalar = peek(), ("0"..."9").contains(scalar) {
      number = min(number * 10 + Int(scalar.value - 0x30), RegularPattern.maximumStates + 1)
      place += 1
    }
    guard place > start else {
      throw error(
        "a repetition is {n}, {n,} or {n,m} with decimal numbers; write \\{ for the character", at: start)
    }
    return number
  }
}
