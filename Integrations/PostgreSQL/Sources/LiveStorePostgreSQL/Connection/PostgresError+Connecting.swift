import CPostgreSQL
import Foundation

extension PostgresError {
  /// The error of a connection that could not be made.
  ///
  /// libpq tells the SQLSTATE of such errors only within its text, and there only if it is verbose:
  /// `connection to server … failed: FATAL:  28P01: password authentication failed for user "ann"`, followed
  /// by a line with the place in the server's source. The words may be in the server's language.
  static func connecting(_ connection: OpaquePointer, secrets: [String]) -> PostgresError {
    let text = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
    let (reason, sqlState) = reason(of: text, hiding: secrets + passwords(of: connection))
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

  /// The passwords that libpq uses, also one of its file or of the environment, but for those that are too short to be
  /// hidden.
  static func passwords(of connection: OpaquePointer) -> [String] {
    var passwords = PQpass(connection).map { [String(cString: $0)] } ?? []
    if let options = PQconninfo(connection) {
      defer { PQconninfoFree(options) }
      var option = options
      // The list ends with an option without a name.
      while let keyword = option.pointee.keyword {
        if strcmp(keyword, "sslpassword") == 0, let value = option.pointee.val {
          passwords.append(String(cString: value))
        }
        option += 1
      }
    }
    return passwords.filter { $0.unicodeScalars.count > 3 }
  }

  /// The sentence and the SQLSTATE of libpq's text.
  ///
  /// Secrets are hidden before anything is changed in the text: they may have line breaks and spaces.
  package static func reason(
    of text: String, hiding secrets: [String]
  ) -> (reason: String, sqlState: String?) {
    let state = #/:  ([0-9A-Z]{5}): /#.matchingSemantics(.unicodeScalar)
    let place = #/\w+: +\w+, [\w/.-]+\.c:\d+/#.matchingSemantics(.unicodeScalar)
    func lines(_ text: String) -> [String] { text.unicodeScalars.split(separator: "\n").map { String($0) } }
    var shown: [String] = []
    for var line in lines(redacted(text, secrets)) {
      if !shown.isEmpty, line.wholeMatch(of: place) != nil { continue }
      if let match = line.firstMatch(of: state) { line.replaceSubrange(match.range, with: ": ") }
      shown.append(line.trimmingCharacters(in: .whitespaces))
    }
    let sqlState = lines(text).compactMap { $0.firstMatch(of: state).map { String($0.1) } }.last
    return (sentence(shown.joined(separator: " ")), sqlState)
  }

  /// Whether a text of libpq says that encryption is not as the connection string demands. libpq's own texts
  /// are English unless the program chose a locale; an error that is not recognised counts as transient.
  package static func isAboutEncryption(_ reason: String) -> Bool {
    // Names of hosts and files are quoted, and may be of any words.
    let words = reason.unicodeScalars.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset.isMultiple(of: 2) }.map { String($0.element) }.joined(separator: " ")
    return ["does not support SSL", "certificate", "sslmode", "GSSAPI encryption"].contains {
      words.contains($0)
    }
  }

  /// The text without the secrets, which are found by their bytes, those that contain others first.
  static func redacted(_ text: String, _ secrets: [String]) -> String {
    let bytes = secrets.filter { !$0.isEmpty }.map { Array($0.utf8) }.sorted { $0.count > $1.count }
    return String(
      decoding: bytes.reduce(Array(text.utf8)) { $0.replacing($1, with: Array("…".utf8)) }, as: UTF8.self)
  }
}
