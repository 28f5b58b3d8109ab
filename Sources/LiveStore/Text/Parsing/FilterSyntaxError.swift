/// Why a text is not a valid filter, and where.
package struct FilterSyntaxError: Error, Hashable, Sendable {
  /// The character of the text, counted from 1, that the error is about.
  package let column: Int
  /// What is wrong, as a phrase that can follow the column.
  package let message: String
  /// What was probably meant, if there is a good guess.
  package let suggestion: String?
  /// The limit that the text exceeds, if it was given one.
  package let limit: StoreError.Limit?

  /// An error at a character counted from 1.
  package init(column: Int, message: String, suggestion: String? = nil, limit: StoreError.Limit? = nil) {
    (self.column, self.message, self.suggestion) = (column, Self.line(message), suggestion)
    self.limit = limit
  }

  /// A message as one line of limited length: control characters and line separators of the filter's text are shown
  /// by their code points.
  private static func line(_ message: String) -> String {
    let text = message.count > 300 ? "\(message.prefix(300))…" : message
    return text.unicodeScalars.reduce(into: "") { line, scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator:
        line += "U+\(String(scalar.value, radix: 16, uppercase: true))"
      default: line.unicodeScalars.append(scalar)
      }
    }
  }
}

extension FilterSyntaxError: CustomStringConvertible {
  /// The whole error in a line: `column 6: expected an operator, found "CONTAIN" (did you mean CONTAINS?)`.
  package var description: String {
    let question = suggestion.map { " (did you mean \($0)?)" } ?? ""
    return "column \(column): \(message)\(question)"
  }
}
