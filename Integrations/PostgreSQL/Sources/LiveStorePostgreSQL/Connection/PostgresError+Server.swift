import CPostgreSQL

extension PostgresError {
  /// The code of an error that the server sent.
  package static func code(ofSQLState sqlState: String) -> Code {
    // A code has five letters. Whatever a server sends in its place may take long to compare.
    guard sqlState.utf8.count == 5 else { return serverError }
    return switch sqlState {
    // 57P01 to 57P03: an administrator ended the session, another session crashed, the server is starting or
    // shutting down; 57P05: the session was idle for too long; 53300: no connection is free.
    case "57P01", "57P02", "57P03", "57P05", "53300": connectionFailed
    case "25006": readOnly
    case "55006": slotInUse
    case _ where sqlState.hasPrefix("08"): connectionFailed
    case _ where sqlState.hasPrefix("28"): authenticationFailed
    default: serverError
    }
  }

  /// The error that the server sent as the result of a statement, without the passwords of the connection.
  init(result: OpaquePointer, of connection: OpaquePointer) {
    let secrets = Self.passwords(of: connection)
    func field(_ code: Character) -> String? {
      guard let code = code.asciiValue, let text = PQresultErrorField(result, Int32(code)) else { return nil }
      return Self.redacted(String(cString: text), secrets)
    }
    let sqlState = field("C").flatMap { $0.utf8.count == 5 ? $0 : nil }
    var message = field("M") ?? Self.trimmed(PQresultErrorMessage(result), hiding: secrets)
    if message.isEmpty { message = "The server reported an error without a message" }
    message = Self.sentence(message)
    if let detail = field("D") { message += " " + Self.sentence(detail) }
    if let hint = field("H") { message += " " + Self.sentence(hint) }
    self.init(
      // libpq makes results without an SQLSTATE when the connection is lost.
      sqlState.map(Self.code(ofSQLState:)) ?? Self.connectionFailed, message, sqlState: sqlState,
      table: field("t").map { table in field("s").map { "\($0).\(table)" } ?? table }, column: field("c"),
      constraint: field("n"))
  }

  /// The error of a connection that was lost.
  static func lost(_ connection: OpaquePointer) -> PostgresError {
    let reason = trimmed(PQerrorMessage(connection), hiding: passwords(of: connection))
    return PostgresError(
      connectionFailed,
      reason.isEmpty
        ? "The connection to the server was lost." : "The connection was lost: \(sentence(reason))")
  }

  /// The text of libpq in one line, without secrets, which may have spaces that are not those of a line.
  static func trimmed(_ text: UnsafePointer<CChar>?, hiding secrets: [String] = []) -> String {
    guard let text else { return "" }
    return redacted(String(cString: text), secrets).split(whereSeparator: \.isWhitespace).joined(
      separator: " ")
  }

  /// The text with a capital at its beginning and a full stop at its end.
  package static func sentence(_ text: String) -> String {
    // By scalars: a letter may have any number of marks.
    guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last else { return text }
    let beginning = "\(first)".uppercased() + String(text.unicodeScalars.dropFirst())
    return [".", "!", "?", ")"].contains(last) ? beginning : beginning + "."
  }
}
