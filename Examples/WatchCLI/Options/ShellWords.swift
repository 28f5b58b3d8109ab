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
    // Nil between words: quotation marks make a word of nothing.
    var word: String.UnicodeScalarView?
    var scalars = text.unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      switch (scalar, openMark) {
      case (let mark, let open?) where mark == open: openMark = nil
      case ("'", nil), ("\"", nil):
        openMark = scalar
        word = word ?? String.UnicodeScalarView()
      case (" ", nil), ("\t", nil), ("\n", nil):
        if let word { words.append(String(word)) }
        word = nil
      case ("\\", nil), ("\\", "\""):
        let isEscape = openMark == nil || scalars.first.map("$`\"\\".unicodeScalars.contains) ?? false
        word = (word ?? String.UnicodeScalarView()) + [isEscape ? scalars.popFirst() ?? scalar : scalar]
      default: word = (word ?? String.UnicodeScalarView()) + [scalar]
      }
    }
    if let word { words.append(String(word)) }
  }
}
