/// Reads a regular expression and makes its program. Groups are on a stack of the parser's own, so that no
/// pattern is too deep for the thread's stack.
struct RegularParser {
  /// What the next quantifier repeats.
  enum Item {
    case none
    /// The last of the literals that are read but not yet in the program.
    case literal
    case part(RegularPart)
    /// Nothing, since it has a quantifier already.
    case repeated
  }

  let folding: PatternFolding
  /// The scalars of the pattern in canonical composition.
  let scalars: [Unicode.Scalar]
  /// The place of the next scalar.
  var place = 0
  var flags = RegularFlags()
  var sets: [ScalarSet] = []
  /// The open groups; the whole pattern is the first.
  var groups: [RegularGroup] = [RegularGroup(flags: RegularFlags(), opening: 0)]
  var names: Set<String> = []
  private var item = Item.none
  private var literals: [Unicode.Scalar] = []
  private let pattern: String

  init(_ pattern: String, folding: PatternFolding) {
    self.pattern = pattern.composed
    self.folding = folding
    scalars = Array(self.pattern.unicodeScalars)
    flags.isCaseInsensitive = folding.isCaseInsensitive
  }

  mutating func parse() throws(PatternError) -> RegularProgram {
    while let scalar = next() { try parse(scalar) }
    if groups.count > 1 { throw error("the group has no closing )", at: groups[groups.count - 1].opening) }
    try endItem()
    var whole = groups[0].part
    whole.append(.end)
    return RegularProgram(states: whole.states, sets: sets)
  }

  private mutating func parse(_ scalar: Unicode.Scalar) throws(PatternError) {
    switch scalar {
    case "\\": try parseEscape()
    case "[":
      let opening = place - 1
      try append(part(of: parseClass(opening: opening)))
    case "(": try openGroup()
    case ")": try closeGroup()
    case "|":
      try endItem()
      groups[groups.count - 1].addAlternative()
      try checkStates()
    case "*", "+", "?", "{": try parseQuantifier(scalar)
    case "}": throw error("the } has no opening {; write \\} for the character", at: place - 1)
    case ".":
      let noLineBreak = ScalarSet(tests: [ScalarProperties.isLineBreak], isInverted: true)
      try append(flags.dotMatchesAll ? anyPart() : part(of: noLineBreak))
    case "^": try append(flags.isMultiline ? .lineStart : .textStart)
    case "$": try append(flags.isMultiline ? .lineEnd : .lastLineEnd)
    default: if !skipComment(scalar) { try append(scalar) }
    }
  }

  // MARK: Reading

  func peek(_ distance: Int = 0) -> Unicode.Scalar? {
    place + distance < scalars.count ? scalars[place + distance] : nil
  }

  mutating func next() -> Unicode.Scalar? {
    guard place < scalars.count else { return nil }
    place += 1
    return scalars[place - 1]
  }

  /// Whether the next scalars are these, which are then read.
  mutating func skip(_ text: String) -> Bool {
    guard scalars[place...].starts(with: text.unicodeScalars) else { return false }
    place += text.unicodeScalars.count
    return true
  }

  /// Whether, under the flag `x`, the scalar just read is space or begins a comment, which is then read.
  mutating func skipComment(_ scalar: Unicode.Scalar) -> Bool {
    guard flags.ignoresSpace else { return false }
    if scalar.properties.isPatternWhitespace { return true }
    guard scalar == "#" else { return false }
    while let other = next(), !ScalarProperties.isLineBreak(other) {}
    return true
  }

  func error(_ message: String, at place: Int) -> PatternError {
    var offset = 0
    var rest = place
    for character in pattern {
      rest -= character.unicodeScalars.count
      if rest < 0 { break }
      offset += 1
    }
    return PatternError(offset: offset, message: message)
  }

  // MARK: Making parts

  mutating func append(_ literal: Unicode.Scalar) throws(PatternError) {
    if case .literal = item {} else { try endItem() }
    literals.append(literal)
    item = .literal
  }

  mutating func append(_ part: RegularPart) throws(PatternError) {
    try endItem()
    item = .part(part)
  }

  mutating func append(_ assertion: RegularAssertion) throws(PatternError) {
    try endItem()
    var part = RegularPart()
    part.append(.assertion(assertion))
    try appendToGroup(part)
  }

  /// What the next quantifier repeats. It is no longer in the program.
  mutating func takeItem() throws(PatternError) -> Item {
    guard case .literal = item, let last = literals.popLast() else {
      defer { item = .repeated }
      return item
    }
    try endItem()
    item = .repeated
    return .part(literalPart([last]))
  }

  /// Puts the last literals and the last item, which no quantifier can repeat any more, into the program.
  mutating func endItem() throws(PatternError) {
    defer {
      item = .none
      literals = []
    }
    if !literals.isEmpty { try appendToGroup(literalPart(literals)) }
    if case .part(let part) = item { try appendToGroup(part) }
  }

  mutating func appendToGroup(_ part: RegularPart) throws(PatternError) {
    groups[groups.count - 1].append(part)
    try checkStates()
  }

  private func checkStates() throws(PatternError) {
    if groups[groups.count - 1].count >= RegularPattern.maximumStates { throw tooManyStates() }
  }

  func tooManyStates() -> PatternError {
    error("the pattern has more than \(RegularPattern.maximumStates) states up to here", at: place)
  }

  mutating func part(of set: ScalarSet) -> RegularPart {
    var part = RegularPart()
    part.append(.set(Int32(truncatingIfNeeded: sets.count)))
    sets.append(set)
    return part
  }

  /// A literal text, in canonical composition and folded as texts are.
  private mutating func literalPart(_ literals: [Unicode.Scalar]) -> RegularPart {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: literals)
    var result = RegularPart()
    for scalar in folding.fold(String(text).composed).composed.unicodeScalars {
      let cases = flags.isCaseInsensitive ? ScalarCases.of(scalar) : []
      if cases.count > 1 {
        result.append(part(of: ScalarSet(ranges: cases.map { $0.value...$0.value })))
      } else {
        result.append(.scalar(scalar.value))
      }
    }
    return result
  }
}
