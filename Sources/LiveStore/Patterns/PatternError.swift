/// Why a text pattern cannot be used, and where in the pattern.
package struct PatternError: Error, Hashable, Sendable, CustomStringConvertible {
  /// How many characters of the pattern precede the error.
  package let offset: Int
  /// What is wrong, as part of a sentence: `the group has no closing )`.
  package let message: String

  package init(offset: Int, message: String) {
    self.offset = offset
    self.message = message
  }

  package var description: String { "character \(offset + 1): \(message)" }
}
