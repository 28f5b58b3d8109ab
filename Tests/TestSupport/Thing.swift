package import Foundation
package import LiveStore

/// Whether the things of a table have indexes.
package protocol Indexing: Sendable {
  static func makeSchema() -> Schema<Thing<Self>>
}

/// The random histories' entity: one property of every kind that matters.
///
/// `Thing<WithIndexes>` and `Thing<WithoutIndexes>` are two entities with the same values, so what indexes
/// answer can be held against what scans do.
package struct Thing<Mode: Indexing>: Entity {
  package let id: Int
  package var rank = 0
  package var name = ""
  package var score: Double?
  package var isDone = false
  package var color = Color.red
  package var mood = Mood.calm
  package var place: Place?
  package var level = 0
  package var tag = ""
  package var code: String?
  package var date = Date(timeIntervalSinceReferenceDate: 0)

  package init(_ id: Int) { self.id = id }

  package static var schema: Schema<Thing> { Mode.makeSchema() }
}

/// An enumeration that can be hashed and not compared.
package enum Color: Sendable, Hashable, CaseIterable {
  case red, green, blue
}

/// An enumeration that can neither be hashed nor compared.
package enum Mood: Sendable, Equatable {
  case calm
  case keen(Double)
}

/// A struct inside a struct, where there is one.
package struct Place: Sendable, Equatable {
  package var city: String
  package var zip: Int?
  package var spot: Spot?

  package struct Spot: Sendable, Equatable {
    package var height: Double
  }

  package init(city: String, zip: Int?, spot: Spot?) {
    self.city = city
    self.zip = zip
    self.spot = spot
  }
}

package enum WithIndexes: Indexing {
  private static let schema = Schema<Thing<WithIndexes>> {
    \.rank
    \.name
    Property(\.score, .indexed)
    \.isDone
    Property(\.color, .indexed)
    \.mood
    \.place
    Property(\.level, .indexed)
    Property(\.tag, .indexed)
    Property(\.code, .unique)
    \.date
    Property(\.level, \.score, .indexed)
    Property(\.color, \.tag, .indexed)
    Property(\.isDone, \.level, \.date, .indexed)
  }
  package static func makeSchema() -> Schema<Thing<WithIndexes>> { schema }
}

package enum WithoutIndexes: Indexing {
  private static let schema = Schema<Thing<WithoutIndexes>> {
    \.rank
    \.name
    \.score
    \.isDone
    \.color
    \.mood
    \.place
    \.level
    \.tag
    \.code
    \.date
  }
  package static func makeSchema() -> Schema<Thing<WithoutIndexes>> { schema }
}

extension Thing {
  /// The same values as another entity.
  package func converted<Other: Indexing>(to mode: Other.Type = Other.self) -> Thing<Other> {
    var other = Thing<Other>(id)
    other.rank = rank
    other.name = name
    other.score = score
    other.isDone = isDone
    other.color = color
    other.mood = mood
    other.place = place
    other.level = level
    other.tag = tag
    other.code = code
    other.date = date
    return other
  }

  /// The listed properties in which two things differ by `==`, NaN being equal to itself, in schema order.
  package func differences(from other: Thing) -> [String] {
    var names: [String] = []
    if rank != other.rank { names.append("rank") }
    if name != other.name { names.append("name") }
    if score != other.score && !(score?.isNaN == true && other.score?.isNaN == true) { names.append("score") }
    if isDone != other.isDone { names.append("isDone") }
    if color != other.color { names.append("color") }
    if mood != other.mood { names.append("mood") }
    if place != other.place { names.append("place") }
    if level != other.level { names.append("level") }
    if tag != other.tag { names.append("tag") }
    if code != other.code { names.append("code") }
    if date != other.date { names.append("date") }
    return names
  }

  /// Whether two things are one value to the store.
  package func isSame(as other: Thing) -> Bool { id == other.id && differences(from: other).isEmpty }
}

extension Thing: ModelEntity {
  package func uniqueValue(of property: String) -> String? { code }
}

extension Thing: CustomStringConvertible {
  /// Swift that makes this value, defaults left out.
  package var description: String {
    let text = assignments.map { "$0.\($0)" }.joined(separator: "; ")
    return text.isEmpty ? "Thing(\(id))" : "Thing(\(id)) { \(text) }"
  }

  /// `property = value` for all that are not at their defaults.
  package var assignments: [String] {
    let plain = Thing(id)
    return differences(from: plain).map { property in
      switch property {
      case "rank": "rank = \(rank)"
      case "name": "name = \(spelled(name))"
      case "score": "score = \(score.map { spelled($0) } ?? "nil")"
      case "isDone": "isDone = \(isDone)"
      case "color": "color = .\(color)"
      case "mood": "mood = .\(mood)"
      case "place": "place = \(place.map { "\($0)" } ?? "nil")"
      case "level": "level = \(level)"
      case "tag": "tag = \(spelled(tag))"
      case "code": "code = \(code.map { spelled($0) } ?? "nil")"
      default: "date = Date(timeIntervalSinceReferenceDate: \(date.timeIntervalSinceReferenceDate))"
      }
    }
  }
}

/// A string as a Swift literal that keeps composed and decomposed letters apart.
package func spelled(_ text: String) -> String {
  let parts = text.unicodeScalars.map { scalar -> String in
    switch scalar {
    case "\"", "\\": "\\\(scalar)"
    case _ where scalar.isASCII && scalar.value >= 32: "\(scalar)"
    default: "\\u{\(String(scalar.value, radix: 16))}"
    }
  }
  return "\"\(parts.joined())\""
}

/// A number as Swift writes it.
package func spelled(_ number: Double) -> String {
  number.isNaN ? ".nan" : number.isInfinite ? (number < 0 ? "-.infinity" : ".infinity") : "\(number)"
}
