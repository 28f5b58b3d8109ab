package import Foundation

/// A value that a text filter gives: written in the text, or an argument. Arguments are values, never text.
package indirect enum FilterLiteral: Sendable {
  case null
  case bool(Bool)
  /// An integer as it is written, or as an argument; a number with a fraction as it is written.
  case number(JSONNumber)
  /// An integral number that is written with a point or an exponent, `2.0`, and so is not computed as an integer.
  case fraction(JSONNumber)
  /// A number that is a `Double` or `Float` by its type; the infinities.
  case double(Double)
  /// A number that is a `Decimal` by its type, and not NaN.
  case decimal(Decimal)
  /// NaN, which is the same literal as itself.
  case notANumber
  case text(String)
  case data(Data)
  case date(FilterDate)
  case uuid(UUID)
  /// `oid(…)`, the identifier of another database.
  case objectID(String)
  /// `obj("Item", 3)`: the object of an entity with an id.
  case object(entity: String, id: FilterLiteral)
  /// An argument of any other type.
  case value(Constant)
}

extension FilterLiteral: Hashable {
  package static func == (left: FilterLiteral, right: FilterLiteral) -> Bool {
    switch (left, right) {
    case (.null, .null), (.notANumber, .notANumber): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)), (.fraction(let left), .fraction(let right)): left == right
    case (.double(let left), .double(let right)): left == right
    case (.decimal(let left), .decimal(let right)): left == right
    case (.text(let left), .text(let right)), (.objectID(let left), .objectID(let right)):
      isSameText(left, right)
    case (.data(let left), .data(let right)): left == right
    case (.date(let left), .date(let right)): left == right
    case (.uuid(let left), .uuid(let right)): left == right
    case (.object(let left, let id), .object(let right, let other)): isSameText(left, right) && id == other
    case (.value(let left), .value(let right)): left == right
    default: false
    }
  }

  /// Texts are hashed in linear time, whatever marks their letters have.
  package func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .notANumber: hasher.combine(1)
    case .bool(let value): hasher.combine(value)
    case .number(let number), .fraction(let number): hasher.combine(number)
    case .double(let value): hasher.combine(value)
    case .decimal(let value): hasher.combine(value)
    case .text(let text), .objectID(let text): hasher.combine(textHash(text))
    case .data(let data): hasher.combine(data)
    case .date(let date): hasher.combine(date)
    case .uuid(let uuid): hasher.combine(uuid)
    case .object(let entity, let id):
      hasher.combine(textHash(entity))
      hasher.combine(id)
    case .value(let value): hasher.combine(value)
    }
  }
}

extension FilterLiteral: KnownEquality {
  var hasKnownEquality: Bool {
    switch self {
    case .value(let value): value.hasKnownEquality
    case .object(_, let id): id.hasKnownEquality
    default: true
    }
  }
}

extension FilterLiteral: SizedConstant {
  var size: Int {
    switch self {
    case .text(let text), .objectID(let text): 1 + text.utf8.count / 8
    case .data(let data): 1 + data.count / 8
    case .object(_, let id): id.size
    default: 1
    }
  }
}

/// A point in time in a text filter.
package enum FilterDate: Hashable, Sendable {
  /// As written: seconds since 1970, and nanoseconds of the same sign.
  case written(seconds: Int64, nanoseconds: Int32)
  /// An argument.
  case exact(Date)

  /// The date, to the precision of its type.
  package var date: Date {
    switch self {
    case .exact(let date): date
    case .written(let seconds, let nanoseconds):
      // One rounding, at the magnitude of the result.
      Date(timeIntervalSinceReferenceDate: Double(seconds) - 978_307_200 + Double(nanoseconds) / 1e9)
    }
  }
}

extension FilterDate: CustomStringConvertible {
  /// The date as it could be written.
  package var description: String {
    switch self {
    case .written(let seconds, let nanoseconds): "date(\(seconds),\(nanoseconds))"
    case .exact(let date): "CAST(\(date.timeIntervalSinceReferenceDate), \"NSDate\")"
    }
  }
}

extension FilterLiteral: CustomStringConvertible {
  /// The value as it could be written.
  package var description: String {
    switch self {
    case .null: "NULL"
    case .bool(let value): value ? "TRUE" : "FALSE"
    case .number(let number): number.isIntegral ? number.digits : number.description
    case .fraction(let number): number.digitsWithPoint
    case .double(let value) where value.isFinite: value.description
    case .double(let value): value < 0 ? "-INF" : "INF"
    case .decimal(let value): value.description
    case .notANumber: "NAN"
    case .text(let text): JSONValue.string(text).description
    case .data(let data): "data(\"\(data.base64EncodedString())\")"
    case .date(let date): date.description
    case .uuid(let uuid): "uuid(\(uuid.uuidString.lowercased()))"
    case .objectID(let id): "objectid(\(id))"
    case .object(let entity, let id): "object(\(JSONValue.string(entity)),\(id))"
    case .value(let value): value.description
    }
  }
}
