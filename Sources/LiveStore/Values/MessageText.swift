/// Texts from outside in messages: in a line of limited length, without characters that change its reading.
package enum MessageText {
  /// A text in a line. Control characters, separators of lines and paragraphs, and characters that change the
  /// direction of the following text are shown by their code points.
  ///
  /// - Parameters:
  ///   - maximum: how many scalars are shown, from the beginning. A Character may have any number.
  package static func line(_ text: some StringProtocol, maximum: Int = 300) -> String {
    var line = ""
    for (index, scalar) in text.unicodeScalars.enumerated() {
      if index == maximum { return line + "…" }
      switch scalar.properties.generalCategory {
      case .format where isJoiner(scalar): line.unicodeScalars.append(scalar)
      case .control, .lineSeparator, .paragraphSeparator, .format:
        line += "U+\(String(scalar.value, radix: 16, uppercase: true))"
      default: line.unicodeScalars.append(scalar)
      }
    }
    return line
  }

  /// Whether it joins or separates letters, as many scripts and emoji need it.
  private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\u{200C}" || scalar == "\u{200D}"
  }
}
