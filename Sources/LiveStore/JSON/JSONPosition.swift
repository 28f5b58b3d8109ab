/// A byte of a text, by line and column, both counted from 1.
package struct JSONPosition: Hashable, Sendable {
  /// The line. Each newline ends one.
  package let line: Int
  /// The byte in the line.
  package let column: Int

  package init(line: Int, column: Int) {
    (self.line, self.column) = (line, column)
  }
}

/// Why a text is not a list of elements, and where.
package struct JSONListError: Error, Hashable, Sendable {
  package let position: JSONPosition
  /// How many elements came before.
  package let index: Int
  /// What is wrong there, as a phrase.
  package let reason: String
}
