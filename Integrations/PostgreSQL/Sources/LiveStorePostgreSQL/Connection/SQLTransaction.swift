import CPostgreSQL

/// A transaction of the server, within which statements are run.
///
/// It is committed when its closure returns, and rolled back when it throws. After an error of the server,
/// only an earlier savepoint can be returned to: further statements fail, and so does the commit.
public final class SQLTransaction {
  private let connection: PostgresConnection
  private(set) var isOpen = true
  /// The first error that a statement met: the reason if the commit fails.
  private(set) var failure: PostgresError?

  init(_ connection: PostgresConnection) { self.connection = connection }

  /// Runs a statement.
  ///
  /// - Returns: how many rows were inserted, updated, deleted or returned.
  /// - Throws: `serverError` with the SQLSTATE; `CancellationError`, after the server has cancelled the
  ///   statement.
  @discardableResult
  public func execute(_ sql: SQL) async throws -> Int { try await run(sql).affectedRows }

  /// Runs a statement that returns rows.
  ///
  /// - Throws: `serverError` with the SQLSTATE; `CancellationError`, after the server has cancelled the
  ///   statement.
  public func query(_ sql: SQL) async throws -> [SQLRow] {
    let result = try await run(sql)
    return (0..<result.rowCount).map { SQLRow(result: result, row: $0) }
  }

  /// Makes further statements throw.
  func close() { isOpen = false }

  private func run(_ sql: SQL) async throws -> QueryResult {
    guard isOpen else {
      throw PostgresError(
        PostgresError.closed,
        "The transaction has ended. Run statements within the closure that was given it.")
    }
    let parameters = try sql.parameters
    do {
      let result = try await connection.query(sql.text, parameters)
      if connection.transactionStatus == PQTRANS_IDLE {
        isOpen = false
        throw PostgresError(
          PostgresError.serverError,
          "The statement '\(sql.text.beginning)' has ended the transaction, which ends with its closure. "
            + "Throw an error to roll it back.")
      }
      return result
    } catch let error as PostgresError {
      failure = failure ?? error
      throw error
    }
  }
}
