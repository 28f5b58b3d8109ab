/// Why a text is not JSON, and where.
public struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The byte of the text, counted from 1, at which reading stopped.
  public let column: Int
  /// What is wrong there, as a phrase.
  public let reason: String

  /// An error at a byte counted from 1.
  package init(column: Int, reason: String) {
    (self.column, self.reason) = (column, reason)
  }

  /// The error in a line: `column 12: expected a value`.
  public var description: String {
    "column \(column): \(reason)"
  }
}
