extension RegularParser {
  /// Reads what follows an opening parenthesis.
  mutating func openGroup() throws(PatternError) {
    let opening = place - 1
    if skip("?#") { return try skipGroupComment(opening) }
    try endItem()
    let outside = flags
    if skip("?"), try !parseGroupKind(opening) { return }
    if groups.count > RegularPattern.maximumDepth {
      throw error("groups are nested more than \(RegularPattern.maximumDepth) deep", at: opening)
    }
    groups.append(RegularGroup(flags: outside, opening: opening))
  }

  mutating func closeGroup() throws(PatternError) {
    guard groups.count > 1 else {
      throw error("the ) has no opening (; write \\) for the character", at: place - 1)
    }
    try endItem()
    guard let group = groups.popLast() else { return }
    flags = group.flags
    try append(group.part)
  }

  private mutating func skipGroupComment(_ opening: Int) throws(PatternError) {
    while let scalar = next() { if scalar == ")" { return } }
    throw error("the comment has no closing )", at: opening)
  }

  /// Reads what follows `(?`. Returns false for `(?i)`, which sets flags for the rest of the group around it.
  private mutating func parseGroupKind(_ opening: Int) throws(PatternError) -> Bool {
    for kind in ["=", "!", "<=", "<!"] where skip(kind) {
      throw error(
        "lookahead and lookbehind are not supported: they cannot be matched in bounded time", at: opening)
    }
    if skip(">") {
      throw error("atomic groups are not supported; (?:…) is a group that is not atomic", at: opening)
    }
    if skip("<") {
      try parseName(opening)
      return true
    }
    return try parseFlags(opening)
  }

  private mutating func parseName(_ opening: Int) throws(PatternError) {
    var name = ""
    while let scalar = next(), scalar != ">" {
      let isLetter = scalar.isASCII && scalar.properties.isAlphabetic
      guard isLetter || !name.isEmpty && ("0"..."9").contains(scalar) else {
        throw error(
          "the name of a group is ASCII letters and digits, and begins with a letter", at: place - 1)
      }
      name.unicodeScalars.append(scalar)
    }
    guard scalars[place - 1] == ">" else {
      throw error("the name of the group has no closing >", at: opening)
    }
    guard !name.isEmpty else { throw error("the group has no name between < and >", at: opening) }
    guard names.insert(name).inserted else { throw error("there are two groups named \(name)", at: opening) }
  }

  private mutating func parseFlags(_ opening: Int) throws(PatternError) -> Bool {
    var value = true
    var count = 0
    while let scalar = next() {
      switch scalar {
      case ":": return true
      case ")" where count > 0: return false
      case "-" where value: value = false
      default:
        guard flags.set(scalar, to: value) else {
          throw error(
            "there is no group (?\(scalar)…), and no such flag: flags are i, s, m and x", at: place - 1)
        }
      }
      count += 1
    }
    throw error("the group has no closing )", at: opening)
  }
}
