/// A class that is not closed yet, such as `[a-z&&[^aeiou]]`.
private struct ScalarClass {
  /// The operands of `&&` and `--` that are complete.
  var operands: [ScalarTest.Step] = []
  /// The union that the current operand is, without its ranges.
  var items: [ScalarTest.Step] = []
  var ranges: [ClosedRange<UInt32>] = []
  /// The operator before the current operand.
  var operation = ScalarTest.Operation.union
  /// The operator before the next nested set.
  var nestedOperation = ScalarTest.Operation.union

  var isOperandEmpty: Bool { items.isEmpty && ranges.isEmpty }
}

extension RegularParser {
  /// Reads a class after its `[`.
  mutating func parseClass(opening: Int, depth: Int) throws(PatternError) -> ScalarTest {
    if depth > RegularPattern.maximumDepth {
      throw error("classes are nested more than \(RegularPattern.maximumDepth) deep", at: opening)
    }
    if let property = try parsePOSIX(opening) { return property }
    let isInverted = skip("^")
    var current = ScalarClass()
    if skip("]") { current.ranges.append(0x5D...0x5D) }
    while let scalar = next() {
      if skipComment(scalar) { continue }
      if scalar == "]" {
        try endOperand(&current, opening)
        let test = current.operands.count == 1 ? current.operands[0].test : .steps(current.operands)
        let cased = flags.isCaseInsensitive ? .anyCase(test) : test
        return isInverted ? .inverted(cased) : cased
      }
      try parseClassItem(scalar, &current, depth)
    }
    throw error("the [ has no closing ]", at: opening)
  }

  private mutating func parseClassItem(
    _ scalar: Unicode.Scalar, _ current: inout ScalarClass, _ depth: Int
  ) throws(PatternError) {
    let start = place - 1
    switch scalar {
    case "[":
      let test = try parseClass(opening: start, depth: depth + 1)
      endRanges(&current)
      current.items.append(ScalarTest.Step(operation: current.nestedOperation, test: test))
      current.nestedOperation = .union
    case "&", "-":
      let operation = scalar == "&" ? ScalarTest.Operation.intersection : .difference
      if peek() == scalar {
        place += 1
        try endOperand(&current, start)
        current.operation = operation
      } else if peek() == "[", !current.isOperandEmpty {
        current.nestedOperation = operation
      } else {
        try parseRange(from: scalar, &current)
      }
    case "\\":
      if skip("Q") { return parseQuotation(&current) }
      if let test = try parseClassEscape(start) {
        current.items.append(ScalarTest.Step(operation: .union, test: test))
      } else {
        try parseRange(from: parseMemberEscape(start), &current)
      }
    default: try parseRange(from: scalar, &current)
    }
  }

  /// Reads the rest of a range, if the scalar before it begins one.
  private mutating func parseRange(
    from first: Unicode.Scalar, _ current: inout ScalarClass
  ) throws(PatternError) {
    let start = place
    guard peek() == "-", let second = peek(1), second != "]", second != "-", second != "[" else {
      let composed = String(first).composed.unicodeScalars
      let member = composed.count == 1 ? composed[composed.startIndex] : first
      current.ranges.append(member.value...member.value)
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
    current.ranges.append(first.value...last.value)
  }

  /// Reads an escape that stands for one scalar, after its backslash. In a class, `\b` is a backspace.
  private mutating func parseMemberEscape(_ start: Int) throws(PatternError) -> Unicode.Scalar {
    skip("b") ? "\u{8}" : try parseScalarEscape(start)
  }

  private mutating func parseQuotation(_ current: inout ScalarClass) {
    while !skip("\\E"), let scalar = next() { current.ranges.append(scalar.value...scalar.value) }
  }

  /// Reads `[:name:]` after its first bracket; nil if that is no name of a property.
  private mutating func parsePOSIX(_ opening: Int) throws(PatternError) -> ScalarTest? {
    guard peek() == ":", let end = scalars[(place + 1)...].prefix(64).firstIndex(of: ":"),
      end + 1 < scalars.count, scalars[end + 1] == "]"
    else { return nil }
    let isInverted = peek(1) == "^"
    let test = try property(scalars[(place + (isInverted ? 2 : 1))..<end], at: opening)
    place = end + 2
    return isInverted ? .inverted(test) : test
  }

  /// Makes the ranges so far a part of the operand.
  private func endRanges(_ current: inout ScalarClass) {
    guard !current.ranges.isEmpty else { return }
    let ranges = ScalarTest(ranges: folding.withoutDiacritics(current.ranges))
    current.items.append(ScalarTest.Step(operation: .union, test: ranges))
    current.ranges = []
  }

  private func endOperand(_ current: inout ScalarClass, _ place: Int) throws(PatternError) {
    guard !current.isOperandEmpty else { throw error("the class has nothing to combine here", at: place) }
    endRanges(&current)
    let test = current.items.count == 1 ? current.items[0].test : .steps(current.items)
    current.operands.append(ScalarTest.Step(operation: current.operation, test: test))
    current.items = []
  }
}
