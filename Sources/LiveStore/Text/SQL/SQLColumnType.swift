/// The type of a property's values in a database.
struct SQLColumnType: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case bool, integer, real, text, data, date, uuid
  }

  let kind: Kind
  /// Whether the values have the order of the property's.
  var isOrdered = true

  /// Whether values of both compare as those of the properties do. PostgreSQL rounds an integer to the nearest `double
  /// precision`.
  func isComparable(with other: SQLColumnType, in dialect: SQLDialect) -> Bool {
    kind == other.kind
      || dialect == .sqlite && [kind, other.kind].allSatisfy { $0 == .integer || $0 == .real }
  }
}
