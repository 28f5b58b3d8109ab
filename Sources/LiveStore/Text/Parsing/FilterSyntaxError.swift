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
    (self.column, self.message) = (column, MessageText.line(message))
    self.suggestion = suggestion.map { MessageText.line($0) }
    self.limit = limit
  }
}

extension FilterSyntaxError: CustomStringConvertible {
  /// The whole error in a line: `column 6: expected an operator, found "CONTAIN" (did you mean CONTAINS?)`.
  package var description: String {
    let question = suggestion.map { " (did you mean \($0)?)" } ?? ""
    return "column \(column): \(message)\(question)"
  }
}
