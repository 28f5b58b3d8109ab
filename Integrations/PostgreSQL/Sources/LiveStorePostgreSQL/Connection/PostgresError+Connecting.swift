import CPostgreSQL
import Foundation

extension PostgresError {
  /// The error of a connection that could not be made.
  ///
  /// libpq tells the SQLSTATE of such errors only within its text, and there only if it is verbose:
  /// `connection to server … failed: FATAL:  28P01: password authentication failed for user "ann"`, followed
  /// by a line with the place in the server's source. The words may be in the server's language.
  static func connecting(_ connection: OpaquePointer, secrets: [String]) -> PostgresError {
    var sqlState: String?
    var lines: [String] = []
    for line in PQerrorMessage(connection).map({ String(cString: $0) })?.split(separator: "\n") ?? [] {
      var line = String(line)
      if lines.count > 0, line.wholeMatch(of: #/\w+: +\w+, [\w/.-]+\.c:\d+/#) != nil { continue }
      if let match = line.firstMatch(of: #/:  ([0-9A-Z]{5}): /#) {
        sqlState = String(match.1)
        line.replaceSubrange(match.range, with: ": ")
      }
      lines.append(line.trimmingCharacters(in: .whitespaces))
    }
    let reason = redacted(sentence(lines.joined(separator: " ")), secrets)
    let code: Code =
      if let sqlState {
        self.code(ofSQLState: sqlState)
      } else if PQconnectionNeedsPassword(connection) != 0 {
        authenticationFailed
      } else if isAboutEncryption(reason) {
        encryptionFailed
      } else {
        connectionFailed
      }
    return PostgresError(
      code, reason.isEmpty ? "The connection to the server failed." : reason, sqlState: sqlState)
  }

  /// Whether a text of libpq says that encryption is not as the connection string demands. libpq's own texts
  /// are English unless the program chose a locale; an error that is not recognised counts as transient.
  private static func isAboutEncryption(_ reason: String) -> Bool {
    ["does not support SSL", "certificate", "sslmode", "GSSAPI encryption"].contains { reason.contains($0) }
  }

  /// The text without the secrets.
  static func redacted(_ text: String, _ secrets: [String]) -> String {
    secrets.reduce(text) { $1.isEmpty ? $0 : $0.replacingOccurrences(of: $1, with: "…") }
  }
}
