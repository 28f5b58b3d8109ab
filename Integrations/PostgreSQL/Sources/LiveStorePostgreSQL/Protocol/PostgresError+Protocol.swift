extension PostgresError {
  /// The server sent bytes that the protocol does not allow.
  static func violation(_ message: String, table: String? = nil) -> PostgresError {
    PostgresError(PostgresError.protocolViolation, message, table: table)
  }
}

extension PostgresError {
  /// The temporary file for a large transaction cannot be written or read.
  public static let spoolFailed = Code(description: "spoolFailed")
}
