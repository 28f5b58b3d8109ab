public import Foundation

/// The languages of databases that a query can be rendered to.
public enum SQLDialect: Hashable, Sendable {
  /// SQLite 3.30 or later; placeholders are `?`.
  case sqlite
  /// PostgreSQL 12 or later; placeholders are `$1`, `$2` … Texts are equal by the collation of their column, which must be
  /// deterministic, as all are that PostgreSQL comes with; a column of `citext` finds others than the filter does.
  case postgreSQL
}

/// A value for a placeholder of a SQL statement.
///
/// Dates, UUIDs and Booleans are given as such: the database's tables say how they are stored. Their order must be that
/// of the values.
public enum SQLArgument: Hashable, Sendable {
  /// A Boolean.
  case bool(Bool)
  /// An integer.
  case integer(Int64)
  /// A floating-point number that is not NaN.
  case real(Double)
  /// A text, composed (NFC).
  case text(String)
  /// Bytes.
  case data(Data)
  /// A point in time.
  case date(Date)
  /// A UUID.
  case uuid(UUID)
}

/// A query as the clauses of a SQL statement, with what they cannot say.
///
/// ```swift
/// let selection = Post.where { $0.likeCount >= 10 }.sorted(by: \.title).sql(.sqlite)
/// // SELECT * FROM posts WHERE "likeCount" >= ? ORDER BY "title" COLLATE BINARY
/// let rows = try database.rows("SELECT * FROM posts" + selection.clauses, selection.arguments)
/// ```
/// No value is part of the text. The rows are those of the query if ``remaining`` is nil; otherwise they are among the
/// rows that the clauses select, and ``remaining`` applied to those gives the answer.
public struct SQLSelection<Element: Entity>: Hashable, Sendable {
  /// The condition of a `WHERE` clause; `TRUE` if every row is selected.
  public let condition: String
  /// The values for the placeholders of the condition, in order.
  public let arguments: [SQLArgument]
  /// The terms of an `ORDER BY` clause; nil if there are none, or if SQL has no such order.
  ///
  /// Rows that tie are in the database's order.
  public let order: String?
  /// How many rows are skipped; zero where ``remaining`` does it.
  public let offset: Int
  /// How many rows there are at most; nil where ``remaining`` limits them.
  public let limit: Int?
  /// The query to apply to the selected rows; nil if the clauses say it all.
  public let remaining: Query<Element>?

  /// The clauses that follow `SELECT … FROM table`, beginning with a space.
  public var clauses: String {
    var text = condition == "TRUE" ? "" : " WHERE \(condition)"
    if let order { text += " ORDER BY \(order)" }
    // SQLite has no OFFSET without a LIMIT.
    if limit != nil || offset > 0 { text += " LIMIT \(limit ?? .max)" }
    if offset > 0 { text += " OFFSET \(offset)" }
    return text
  }
}

extension Query {
  /// The query as clauses of a SQL statement, for a database that stores the same objects.
  ///
  /// Rendered are comparisons of properties with values and with each other, `in`, ranges, nil, tests for
  /// parts of texts, `&&`, `||`, `!`, orders and windows. Conditions with links, elements of lists, closures,
  /// patterns, options, arithmetic and types without an exact counterpart are left to
  /// ``SQLSelection/remaining``.
  ///
  /// The answer is the same if texts are stored composed (NFC), and NaN is not stored: SQLite makes it null.
  /// - Parameters:
  ///   - dialect: the database's language.
  ///   - column: the column of a property by its name in the schema; the property's name by default. It is quoted.
  /// - Complexity: O(length of the query).
  public func sql(
    _ dialect: SQLDialect, column: @escaping (_ property: String) -> String = { $0 }
  ) -> SQLSelection<Element> {
    let stage = stages[0]
    let isPlain = stages.count == 1 && stage.source == nil && stage.distinct.isEmpty && stage.servingKeys == 0
    var writer = SQLWriter<Element>(dialect: dialect, column: column)
    let (condition, rest) = writer.condition(stage.filter)
    let order = isPlain ? writer.order(stage.order) : nil
    let isWhole = isPlain && rest.isEmpty && order != nil
    var remaining: Query? = isWhole ? nil : self
    remaining?.stages[0].filter = .all(of: rest)
    return SQLSelection(
      condition: condition, arguments: writer.arguments, order: order.flatMap { $0.isEmpty ? nil : $0 },
      offset: isWhole ? stage.offset : 0, limit: isWhole ? stage.limit : nil, remaining: remaining)
  }
}

extension Filter {
  /// The filter as the condition of a `WHERE` clause, for a database that stores the same objects; see
  /// ``Query/sql(_:column:)``.
  public func sql(
    _ dialect: SQLDialect, column: @escaping (_ property: String) -> String = { $0 }
  ) -> SQLSelection<Element> {
    Element.where(self).sql(dialect, column: column)
  }
}
