/// A regular expression that is matched in time linear in the text, whatever the pattern is, as MATCHES has it.
///
/// The syntax is ICU's, in its regular part:
/// - Literals; `\t \n \r \f \a \e \cX \0ooo \xhh \x{h…} \uhhhh \Uhhhhhhhh`; `\` before any other character that is not
///   an ASCII letter or digit; `\Q…\E`.
/// - `.`, `\d \w \s \h \v \R` and in capitals their opposites, but for `\R`.
/// - `[…]` with characters, ranges and the escapes above, and `[^…]`.
/// - `|`, groups `(…)`, `(?:…)`, `(?<name>…)`, comments `(?#…)`, and the flags `i`, `s`, `m`, `x`, as `(?i)` or `(?i:…)`.
/// - `? * + {n} {n,} {n,m}`; with a further `?` they mean the same, since the whole text must match.
/// - `^ $ \A \Z \z \b \B`.
///
/// Possessive quantifiers, atomic groups, lookaround and backreferences are errors, and so are sets within sets and sets
/// with names (`&&`, `--`, `\p{…}`, `[:alpha:]`) and an escaped letter that means nothing.
///
/// Scalars of canonical compositions are matched, not characters, so the normal forms of pattern and text do
/// not matter. In a case-insensitive part, scalars are equal if their simple case mappings are.
///
/// Texts are expected as Foundation folds them for the pattern's options, independent of locale. The pattern's
/// literals are folded likewise, so `ß` is "ss" if case does not count. A class includes the folded forms of its
/// members, where those are single scalars, and all its cases if case does not count.
package struct RegularPattern: Sendable {
  /// The pattern as it was given.
  package let pattern: String
  private let folding: PatternFolding
  private let program: RegularProgram

  /// How many characters, and how many scalars, a pattern may have.
  package static let maximumLength = 10_000
  /// How many states it may have; counted repetition multiplies the states of the repeated part.
  package static let maximumStates = 10_000
  /// How deep groups may be nested.
  package static let maximumDepth = 100

  /// A pattern for texts that are folded for the same options.
  ///
  /// - Throws: `PatternError` if the pattern is not in the syntax above, or is too large.
  /// - Complexity: O(states × depth of groups).
  package init(
    _ pattern: String, isCaseInsensitive: Bool = false, isDiacriticInsensitive: Bool = false
  ) throws(PatternError) {
    let start = pattern.unicodeScalars.prefix(Self.maximumLength)
    guard start.endIndex == pattern.endIndex else {
      throw PatternError(
        offset: String(start).count, message: "the pattern is longer than \(Self.maximumLength) characters")
    }
    self.pattern = pattern
    folding = PatternFolding(
      isCaseInsensitive: isCaseInsensitive, isDiacriticInsensitive: isDiacriticInsensitive)
    var parser = RegularParser(pattern, folding: folding)
    program = try parser.parse()
  }

  package var stateCount: Int { program.states.count }

  /// The time to make the pattern, counted in states: a set is tested for each ASCII scalar.
  var madeStates: Int { program.states.count + program.sets.reduce(0) { $0 + 8 * $1.steps } }

  /// Whether the whole text, which is folded already, matches.
  ///
  /// - Complexity: O(length of the text × states of the pattern).
  package func matches(_ text: String) -> Bool {
    var steps = 0
    return matches(text, steps: &steps)
  }

  /// As `matches`, and adds to `steps` how many states it entered.
  ///
  /// - Parameter maximumSteps: after how many steps it gives up, and returns false; `steps` is then above it.
  package func matches(_ text: String, steps: inout Int, maximumSteps: Int = .max) -> Bool {
    let answer = text.utf8.withContiguousStorageIfAvailable { bytes -> Bool? in
      guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
      return program.matches(bytes.lazy.map(UInt32.init), &steps, maximumSteps: maximumSteps)
    }
    if let answer = answer ?? nil { return answer }
    return program.matches(text.composed.unicodeScalars.map(\.value), &steps, maximumSteps: maximumSteps)
  }
}

extension RegularPattern: Hashable {
  package static func == (lhs: RegularPattern, rhs: RegularPattern) -> Bool {
    lhs.folding == rhs.folding && lhs.pattern == rhs.pattern
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(folding)
    hasher.combine(pattern)
  }
}
