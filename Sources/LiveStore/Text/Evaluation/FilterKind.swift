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
