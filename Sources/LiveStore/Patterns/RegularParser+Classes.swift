/// The members so far of a class that is not closed yet, such as `[a-z\d]`.
private struct ClassMembers {
  var ranges: [ClosedRange<UInt32>] = []
  var tests: [ScalarSet.Test] = []
}

extension RegularParser {
  /// Reads a class after its `[`.
  mutating func parseClass(opening: Int) throws(PatternError) -> ScalarSet {
    if isNamedClass { throw namedSet(opening) }
    let isInverted = skip("^")
    var members = ClassMembers()
    if skip("]") { members.ranges.append(0x5D...0x5D) }
    while let scalar = next() {
      if skipComment(scalar) { continue }
      guard scalar == "]" else {
        try parseMember(scalar, &members)
        continue
      }
      if members.ranges.isEmpty && members.tests.isEmpty {
        throw error("the class has no members", at: opening)
      }
      return ScalarSet(
        ranges: folding.withoutDiacritics(members.ranges), tests: members.tests, isInverted: isInverted,
        isCaseInsensitive: flags.isCaseInsensitive)
    }
    throw error("the [ has no closing ]", at: opening)
  }

  /// Whether `:name:]` follows.
  private var isNamedClass: Bool {
    guard peek() == ":", let end = scalars[(place + 1)...].prefix(64).firstIndex(of: ":") else {
      return false
    }
    return end + 1 < scalars.count && scalars[end + 1] == "]"
  }

  /// The error of a set that has a name, such as `\p{L}` or `[:alpha:]`.
  func namedSet(_ start: Int) -> PatternError {
    error(
      "sets with names, such as \\p{L} and [:alpha:], are not supported; use \\w, \\d or \\s, or list ranges",
      at: start)
  }

  private mutating func parseMember(_ scalar: Unicode.Scalar, _ members: inout ClassMembers)
    throws(PatternError)
  {
    let start = place - 1
    switch scalar {
    case "[":
      throw isNamedClass
        ? namedSet(start)
        : error("a class in a class is not supported; write \\[ for the character", at: start)
    case "&" where peek() == "&", "-" where peek() == "-":
      throw error(
        "\(scalar)\(scalar) between sets is not supported; write \\\(scalar) for the character", at: start)
    case "\\":
      if skip("Q") { return parseQuotation(&members) }
      if let test = try parseClassEscape(start) {
        members.tests.append(test)
      } else {
        try parseRange(from: parseMemberEscape(start), &members)
      }
    default: try parseRange(from: scalar, &members)
    }
  }

  /// Reads the rest of a range, if the scalar before it begins one.
  private mutating func parseRange(
    from first: Unicode.Scalar, _ members: inout ClassMembers
  ) throws(PatternError) {
    let start = place
    guard peek() == "-", let second = peek(1), second != "]", second != "-", second != "[" else {
      let composed = String(first).composed.unicodeScalars
      let member = composed.count == 1 ? composed[composed.startIndex] : first
      members.ranges.append(member.value...member.value)
      return
    }
    place += 2
    var last = second
    if second == "\\" {
      if "dDwWsShHvVpPQ".unicodeScalars.contains(peek() ?? " ") {
        throw error("a range ends with a character, not with a set; write \\- for the character", at: start)
      }
      last = try parseMemberEscape(start + 1)
    }
    guard first <= last else { throw error("the range ends before it begins", at: start) }
    members.ranges.append(first.value...last.value)
  }

  /// Reads an escape that stands for one scalar, after its backslash. In a class, `\b` is a backspace.
  private mutating func parseMemberEscape(_ start: Int) throws(PatternError) -> Unicode.Scalar {
    skip("b") ? "\u{8}" : try parseScalarEscape(start)
  }

  private mutating func parseQuotation(_ members: inout ClassMembers) {
    while !skip("\\E"), let scalar = next() { members.ranges.append(scalar.value...scalar.value) }
  }
}
