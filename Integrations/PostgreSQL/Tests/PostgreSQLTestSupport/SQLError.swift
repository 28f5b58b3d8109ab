/// What the server said about a statement of a test.
package struct SQLError: Error, CustomStringConvertible {
  /// The five characters of the SQLSTATE; empty if the connection was lost.
  package let state: String
  package let message: String

  package var description: String { state.isEmpty ? message : "\(state): \(message)" }
}

extension SQLError {
  /// Whether the server ends or starts, or has ended the connection.
  package var isShutdown: Bool { state.hasPrefix("57P") || state.hasPrefix("08") }
}
