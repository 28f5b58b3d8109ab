/// The words of a command line, as a POSIX shell splits it, without any expansion.
struct ShellWords {
  /// The words without their quotation marks.
  private(set) var words: [String] = []
  /// The quotation mark that is not closed, if there is one.
  private(set) var openMark: Unicode.Scalar?

  /// Splits a text.
  ///
  /// - Complexity: O(length)
  init(_ text: String) {
    // Quotation marks make a word of nothing.
    var (word, hasWord) = (String.UnicodeScalarView(), false)
    var scalars = text.unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      switch (scalar, openMark) {
      case (let mark, let open?) where mark == open: openMark = nil
      case ("'", nil), ("\"", nil): (openMark, hasWord) = (scalar, true)
      case (" ", nil), ("\t", nil), ("\n", nil):
        if hasWord { words.append(String(word)) }
        (word, hasWord) = (String.UnicodeScalarView(), false)
      case ("\\", nil), ("\\", "\""):
        let isEscape = openMark == nil || scalars.first.map("$`\"\\".unicodeScalars.contains) ?? false
        word.append(isEscape ? scalars.popFirst() ?? scalar : scalar)
        hasWord = true
      default:
        word.append(scalar)
        hasWord = true
      }
    }
    if hasWord { words.append(String(word)) }
  }
}
