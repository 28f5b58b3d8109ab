import Foundation

/// What kind of values a part of a text filter has, for checking it against a schema.
indirect enum FilterKind: Hashable, Sendable {
  /// Known only at run time, as in JSON.
  case unknown
  case bool, number, text, data, date, uuid
  /// The objects of an entity.
  case object(String)
  case list(FilterKind)
  /// Values of another type.
  case value(String)
}

extension FilterKind {
  /// The kind of a type's values.
  static func of(_ type: Any.Type) -> FilterKind {
    switch type {
    case is JSONValue.Type: .unknown
    case is Bool.Type: .bool
    case is String.Type, is Substring.Type, is Character.Type, is URL.Type: .text
    case is Data.Type: .data
    case is Date.Type: .date
    case is UUID.Type: .uuid
    case is any BinaryInteger.Type, is any BinaryFloatingPoint.Type, is Decimal.Type: .number
    case let type as any OptionalValue.Type: of(type.wrappedType)
    case let type as any FilterLink.Type: .object("\(type.targetType)")
    case let type as any ElementCollection.Type: .list(of(type.memberType))
    case is any FilterDictionary.Type: .unknown
    case let type as any RawRepresentable.Type: of(type.rawType)
    case is any CaseIterable.Type: .text
    default: .value("\(type)")
    }
  }

  init(_ literal: FilterLiteral) {
    switch literal {
    case .null: self = .unknown
    case .bool: self = .bool
    case .number, .fraction, .double, .decimal, .notANumber: self = .number
    case .text: self = .text
    case .data: self = .data
    case .date: self = .date
    case .uuid: self = .uuid
    case .objectID: self = .value("an object id")
    case .object(let entity, _): self = .object(entity)
    case .value(let value): self = .value(value.typeName)
    }
  }

  /// The kind of the elements of a list; of any other value, its own.
  var element: FilterKind { if case .list(let element) = self { element } else { self } }

  var isList: Bool { if case .list = self { true } else { false } }

  /// The kind with its article, for messages.
  var described: String {
    switch self {
    case .unknown: "a value"
    case .bool: "a Boolean"
    case .number: "a number"
    case .text: "text"
    case .data: "data"
    case .date: "a date"
    case .uuid: "a UUID"
    case .object(let entity): "an object (\(entity))"
    case .list(let element): "a list (\(element.described))"
    case .value(let type): "a value of type \(type)"
    }
  }
}

// What types are made of.

extension OptionalValue {
  static var wrappedType: Any.Type { Wrapped.self }
}

extension FilterLink {
  static var targetType: Any.Type { Target.self }
  static var idType: Any.Type { ID.self }
}

extension ElementCollection {
  static var memberType: Any.Type { Member.self }
}

extension FilterDictionary {
  static var valueType: Any.Type { Value.self }
}

extension RawRepresentable {
  static var rawType: Any.Type { RawValue.self }
}
