import Foundation

/// What a text filter and a database need to know of a type of values.
struct ValueTraits: Sendable {
  let kind: FilterKind
  /// The kind in which its numbers are computed, of a list or dictionary those of its elements; nil if it has none.
  var numbers: NumberKind?
  /// Its type in a database; nil if it has no column of its own.
  var column: SQLColumnType?

  private init(_ kind: FilterKind, numbers: NumberKind? = nil, column: SQLColumnType.Kind? = nil) {
    (self.kind, self.numbers, self.column) = (kind, numbers, column.map { SQLColumnType(kind: $0) })
  }

  init(_ type: Any.Type) {
    switch type {
    case is JSONValue.Type: self.init(.unknown, numbers: .unknown)
    case is Bool.Type: self.init(.bool, column: .bool)
    case is String.Type: self.init(.text, column: .text)
    case is Substring.Type, is Character.Type, is URL.Type: self.init(.text)
    case is Data.Type: self.init(.data, column: .data)
    case is Date.Type: self.init(.date, column: .date)
    case is UUID.Type: self.init(.uuid, column: .uuid)
    case is Int.Type, is Int64.Type, is Int32.Type, is Int16.Type, is Int8.Type, is UInt32.Type,
      is UInt16.Type, is UInt8.Type:
      self.init(.number, numbers: .integer, column: .integer)
    case is any BinaryInteger.Type: self.init(.number, numbers: .integer)
    case is Double.Type: self.init(.number, numbers: .real, column: .real)
    case is any BinaryFloatingPoint.Type: self.init(.number, numbers: .real)
    case is Decimal.Type: self.init(.number, numbers: .decimal)
    case let type as any OptionalValue.Type: self.init(type.wrappedType)
    case let type as any FilterLink.Type:
      self.init(ValueTraits(type.idType), as: .object("\(type.targetType)"))
    case let type as any ElementCollection.Type:
      let member = ValueTraits(type.memberType)
      self.init(.list(member.kind), numbers: member.numbers)
    case let type as any FilterDictionary.Type:
      self.init(.unknown, numbers: ValueTraits(type.valueType).numbers)
    case let type as any RawRepresentable.Type:
      let raw = ValueTraits(type.rawType)
      self.init(raw, as: raw.kind)
    case is any CaseIterable.Type:
      self.init(.text, column: .text)
      column?.isOrdered = false
    default: self.init(.value("\(type)"))
    }
  }

  /// What is known of a value that stands for another one, in an order of its own.
  private init(_ other: ValueTraits, as kind: FilterKind) {
    (self.kind, numbers, column) = (kind, other.numbers, other.column)
    column?.isOrdered = false
  }
}

// What types are made of.

extension OptionalValue {
  fileprivate static var wrappedType: Any.Type { Wrapped.self }
}

extension FilterLink {
  fileprivate static var targetType: Any.Type { Target.self }
  fileprivate static var idType: Any.Type { ID.self }
}

extension ElementCollection {
  fileprivate static var memberType: Any.Type { Member.self }
}

extension FilterDictionary {
  fileprivate static var valueType: Any.Type { Value.self }
}

extension RawRepresentable {
  fileprivate static var rawType: Any.Type { RawValue.self }
}
