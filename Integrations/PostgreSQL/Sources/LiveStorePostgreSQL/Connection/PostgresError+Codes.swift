// The codes once more, where the type of a comparison is known: `catch let error as PostgresError where error.code ==
// .slotMissing`.

extension PostgresError.Code {
  /// No server could be reached, or the connection was lost: see ``isTransient``.
  public static let connectionFailed = PostgresError.connectionFailed
  /// The server refuses the user: the password is wrong or missing, or no rule of `pg_hba.conf` admits the
  /// user.
  public static let authenticationFailed = PostgresError.authenticationFailed
  /// The connection string is malformed.
  public static let invalidConnectionString = PostgresError.invalidConnectionString
  /// The encryption that the connection string demands is not to be had.
  public static let encryptionFailed = PostgresError.encryptionFailed
  /// The server could not run a statement.
  public static let serverError = PostgresError.serverError
  /// The server sent what the protocol does not allow.
  public static let protocolViolation = PostgresError.protocolViolation
  /// The server is too old, or lacks a setting that replication needs.
  public static let unsupportedServer = PostgresError.unsupportedServer
  /// The publication does not exist, or does not publish what is needed.
  public static let invalidPublication = PostgresError.invalidPublication
  /// A table does not exist, or does not fit its type.
  public static let invalidTable = PostgresError.invalidTable
  /// The publication or a table was altered, so that a replica copies the tables again.
  public static let definitionChanged = PostgresError.definitionChanged
  /// A value cannot be read as its type, or cannot be written.
  public static let mismatch = PostgresError.mismatch
  /// Another process reads from the replication slot.
  public static let slotInUse = PostgresError.slotInUse
  /// The replication slot does not exist any longer, or the server has removed the log that it needs.
  public static let slotMissing = PostgresError.slotMissing
  /// What was written to can only be read: a replicated entity, or a server that is a standby.
  public static let readOnly = PostgresError.readOnly
  /// The server did not answer in time.
  public static let timedOut = PostgresError.timedOut
  /// The replica, the transaction or the connection was closed.
  public static let closed = PostgresError.closed
  /// The temporary file for a large transaction cannot be written or read.
  public static let spoolFailed = PostgresError.spoolFailed
}
