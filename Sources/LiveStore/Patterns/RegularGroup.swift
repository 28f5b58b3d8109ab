/// The flags that a regular expression can set within itself.
struct RegularFlags: Sendable {
  /// `i`: case does not count.
  var isCaseInsensitive = false
  /// `s`: the dot matches line breaks, too.
  var dotMatchesAll = false
  /// `m`: `^` and `$` match at line breaks.
  var isMultiline = false
  /// `x`: space in the pattern, and comments from `#` to the end of a line, do not count.
  var ignoresSpace = false

  /// Sets one of them; false if there is none with this letter.
  mutating func set(_ letter: Unicode.Scalar, to value: Bool) -> Bool {
    switch letter {
    case "i": isCaseInsensitive = value
    case "s": dotMatchesAll = value
    case "m": isMultiline = value
    case "x": ignoresSpace = value
    default: return false
    }
    return true
  }
}

/// A group that is not closed yet.
struct RegularGroup: Sendable {
  /// The flags outside the group.
  let flags: RegularFlags
  /// Where the group begins in the pattern.
  let opening: Int
  private var alternatives = [RegularPart()]
  /// How many states the group has up to here.
  private(set) var count = 0

  init(flags: RegularFlags, opening: Int) {
    self.flags = flags
    self.opening = opening
  }

  mutating func addAlternative() {
    alternatives.append(RegularPart())
    count += 2
  }

  mutating func append(_ part: RegularPart) {
    alternatives[alternatives.count - 1].append(part)
    count += part.count
  }

  /// Any of the alternatives.
  var part: RegularPart { RegularPart.any(of: alternatives) }
}
