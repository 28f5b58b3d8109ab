/// Why a text is not JSON, and where.
package struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The byte of the text, counted from 1, at which reading stopped.
  package let column: Int
  /// What is wrong there, as a phrase.
  package let reason: String

  /// An error at a byte counted from 1.
  package init(column: Int, reason: String) {
    (self.column, self.reason) = (column, reason)
  }

  /// The error in a line: `column 12: expected a value`.
  package var description: String {
    "column \(column): \(reason)"
  }
}
