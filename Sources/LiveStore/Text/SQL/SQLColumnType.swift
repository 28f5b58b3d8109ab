import Foundation

/// The type of a property's values in a database.
struct SQLColumnType: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case bool, integer, real, text, data, date, uuid
  }

  let kind: Kind
  /// Whether the values have the order of the property's.
  var isOrdered = true

  /// The type of the columns for a property's type; nil if there is no exact counterpart.
  init?(_ type: Any.Type) {
    switch type {
    case is Bool.Type: self.init(kind: .bool)
    case is Int.Type, is Int64.Type, is Int32.Type, is Int16.Type, is Int8.Type, is UInt32.Type,
      is UInt16.Type, is UInt8.Type:
      self.init(kind: .integer)
    case is Double.Type: self.init(kind: .real)
    case is String.Type: self.init(kind: .text)
    case is Data.Type: self.init(kind: .data)
    case is Date.Type: self.init(kind: .date)
    case is UUID.Type: self.init(kind: .uuid)
    case let type as any OptionalValue.Type: self.init(type.wrappedType)
    case let type as any FilterLink.Type: self.init(unordered: type.idType)
    case let type as any RawRepresentable.Type: self.init(unordered: type.rawType)
    case is any CaseIterable.Type: self.init(kind: .text, isOrdered: false)
    default: return nil
    }
  }

  private init(kind: Kind, isOrdered: Bool = true) { (self.kind, self.isOrdered) = (kind, isOrdered) }

  private init?(unordered type: Any.Type) {
    self.init(type)
    isOrdered = false
  }

  /// Whether values of both compare as those of the properties do. PostgreSQL rounds an integer to the nearest `double
  /// precision`.
  func isComparable(with other: SQLColumnType, in dialect: SQLDialect) -> Bool {
    kind == other.kind
      || dialect == .sqlite && [kind, other.kind].allSatisfy { $0 == .integer || $0 == .real }
  }
}
