public import Foundation

/// What went wrong with a server, a replica or a value, where, and what to do.
///
/// The message is for developers. Errors of the server also have its SQLSTATE; errors of mapping name the
/// table, the column and the value. No error holds a password or a connection string.
///
/// ```swift
/// do {
///   try await replica.write { sql in try await sql.execute("DELETE FROM posts WHERE id = \(id)") }
/// } catch let error as PostgresError where error.constraint == "comments_post_fkey" {
///   // A comment refers to the post.
/// }
/// ```
public struct PostgresError: LocalizedError, Sendable, Equatable, CustomStringConvertible {
  /// The kind of an error. New kinds may be added; compare with those that you handle.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The code's name.
    public let description: String
  }

  /// The kind of error.
  public let code: Code
  /// A sentence that says what, where and what to do, in one line: it may be written to a log or a terminal as it is.
  public package(set) var message: String
  /// The server's error code of five characters, if the error is the server's: `23505` is a unique violation.
  public var sqlState: String?
  /// The table with its schema, if the error concerns one: that of the row which violates a constraint.
  public var table: String?
  /// The column, if the error concerns one. The server names none for a constraint, but for one of `NOT NULL`, which has no
  /// name before version 18.
  public var column: String?
  /// The name of the constraint, or of the unique index, that a statement violates.
  public var constraint: String?
  /// The offending value as text, if there is one.
  public var value: String?

  package init(
    _ code: Code, _ message: String, sqlState: String? = nil, table: String? = nil, column: String? = nil,
    constraint: String? = nil, value: String? = nil
  ) {
    self.code = code
    self.message = message.asMessage
    self.sqlState = sqlState
    self.table = table
    self.column = column
    self.constraint = constraint
    self.value = value
  }

  /// The message: for logs, and for alerts without a better text.
  public var errorDescription: String? { message }
  /// The code and the message.
  public var description: String { "\(code): \(message)" }
}

extension PostgresError {
  /// No server could be reached, or the connection was lost: see ``isTransient``.
  public static let connectionFailed = Code(description: "connectionFailed")
  /// The server refuses the user: the password is wrong or missing, or no rule of `pg_hba.conf` admits the
  /// user.
  public static let authenticationFailed = Code(description: "authenticationFailed")
  /// The connection string is malformed.
  public static let invalidConnectionString = Code(description: "invalidConnectionString")
  /// The encryption that the connection string demands is not to be had.
  public static let encryptionFailed = Code(description: "encryptionFailed")
  /// The server could not run a statement.
  public static let serverError = Code(description: "serverError")
  /// The server sent what the protocol does not allow.
  public static let protocolViolation = Code(description: "protocolViolation")
  /// The server is too old, or lacks a setting that replication needs.
  public static let unsupportedServer = Code(description: "unsupportedServer")
  /// The publication does not exist, or does not publish what is needed.
  public static let invalidPublication = Code(description: "invalidPublication")
  /// A table does not exist, or does not fit its type.
  public static let invalidTable = Code(description: "invalidTable")
  /// The publication or a table was altered, so that a replica copies the tables again.
  public static let definitionChanged = Code(description: "definitionChanged")
  /// A value cannot be read as its type, or cannot be written.
  public static let mismatch = Code(description: "mismatch")
  /// Another process reads from the replication slot.
  public static let slotInUse = Code(description: "slotInUse")
  /// The replication slot does not exist any longer, or the server has removed the log that it needs.
  public static let slotMissing = Code(description: "slotMissing")
  /// What was written to can only be read: a replicated entity, or a server that is a standby.
  public static let readOnly = Code(description: "readOnly")
  /// The server did not answer in time.
  public static let timedOut = Code(description: "timedOut")
  /// The replica, the transaction or the connection was closed.
  public static let closed = Code(description: "closed")
}

extension PostgresError {
  /// Whether the same attempt may succeed later although neither the program nor the server's settings change:
  /// the connection was lost, the server is starting, shutting down or out of connections.
  ///
  /// Errors of authentication, of a statement and of a missing object are not transient.
  public var isTransient: Bool {
    switch code {
    case Self.connectionFailed, Self.timedOut: true
    // Serialization failures and deadlocks (class 40) are solved by running the transaction again, which is
    // the caller's decision. Class 53 is a lack of resources.
    case Self.serverError: sqlState?.hasPrefix("53") == true
    default: false
    }
  }
}

/// Makes codes usable as patterns: `catch PostgresError.slotMissing`.
public func ~= (code: PostgresError.Code, error: any Error) -> Bool {
  (error as? PostgresError)?.code == code
}
