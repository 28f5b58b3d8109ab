internal import CPostgreSQL
import Foundation

/// A connection to a server whose calls block; for the tests, and independent of the library's own.
package final class SQLConnection {
  private let connection: OpaquePointer

  /// Connects.
  ///
  /// - Throws: ``SQLError`` if there is no connection.
  package init(_ connectionString: String) throws {
    guard let connection = PQconnectdb(connectionString) else {
      throw SQLError(state: "", message: "no memory for a connection")
    }
    self.connection = connection
    if PQstatus(connection) != CONNECTION_OK {
      throw SQLError(state: "", message: Self.text(PQerrorMessage(connection)))
    }
    // Notices, as those of DROP … IF EXISTS, are of no interest.
    PQsetNoticeProcessor(connection, { _, _ in }, nil)
  }

  deinit { PQfinish(connection) }

  /// What a statement returned, in the text form of the server.
  package struct Result: Sendable {
    package let columns: [String]
    package let rows: [[String?]]
    /// How many rows the statement changed or returned.
    package let count: Int
  }

  /// Whether the connection has not been lost.
  package var isAlive: Bool { PQstatus(connection) == CONNECTION_OK }

  /// Runs one or more statements without parameters.
  ///
  /// - Returns: the result of the last.
  @discardableResult package func execute(_ sql: String) throws -> Result {
    try result(PQexec(connection, sql))
  }

  /// Runs one statement with parameters `$1`, `$2` …
  @discardableResult package func query(_ sql: String, _ parameters: [String?]) throws -> Result {
    let values = parameters.map { parameter in parameter.map { strdup($0) } }
    defer { for value in values { free(value ?? nil) } }
    let pointers = values.map { value in (value ?? nil).map { UnsafePointer<CChar>($0) } }
    return try result(
      PQexecParams(connection, sql, Int32(parameters.count), nil, pointers, nil, nil, 0))
  }

  private func result(_ result: OpaquePointer?) throws -> Result {
    defer { PQclear(result) }
    let status = PQresultStatus(result)
    if status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK && status != PGRES_EMPTY_QUERY {
      throw SQLError(
        state: Self.text(PQresultErrorField(result, Int32(UInt8(ascii: "C")))),
        message: Self.text(result == nil ? PQerrorMessage(connection) : PQresultErrorMessage(result)))
    }
    let columns = (0..<PQnfields(result)).map { Self.text(PQfname(result, $0)) }
    let rows = (0..<PQntuples(result)).map { row in
      (0..<Int32(columns.count)).map { column in
        PQgetisnull(result, row, column) == 1 ? nil : Self.text(PQgetvalue(result, row, column))
      }
    }
    return Result(columns: columns, rows: rows, count: Int(Self.text(PQcmdTuples(result))) ?? 0)
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
    pointer.map { String(cString: $0) } ?? ""
  }
}
