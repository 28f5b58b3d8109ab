import Foundation
import LiveStore
import LiveStoreServer

/// A number that equals itself, also if it is none.
struct Measure: Codable, Equatable, Sendable {
  var value: Double
  static func == (left: Self, right: Self) -> Bool {
    left.value == right.value || left.value.isNaN && right.value.isNaN
  }
}

struct Spot: Codable, Equatable, Sendable {
  var city: String
  var seen: Date
  var heights: [Float?] = []
}

enum Mood: Codable, Equatable, Sendable {
  case plain
  case noted(String, times: Int)
}

enum Level: String, Codable, Equatable, Sendable { case low, high }

struct Person: Entity, Codable, Equatable {
  let id: Int
  var name: String
  var best: Ref<Item>?
  static let schema = Schema<Person> {
    \.name
    Relation(\.best, onDelete: .nullify)
  }
}

/// An entity with values and links of all kinds.
struct Item: Entity, Codable, Equatable {
  let id: String
  var text = ""
  var count = 0
  var large = UInt64.max
  var measure = Measure(value: 0)
  var price = Decimal(0)
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var data = Data()
  var key = UUID(uuidString: "00000000-0000-0000-0000-000000000000")
  var level = Level.low
  var mood = Mood.plain
  var spot: Spot?
  var json = JSONValue.null
  var next: Ref<Item>?
  var owner: Ref<Person>?
  var list = RefList<Person>()
  var set = RefSet<Person>()
  var map = RefMap<Person>()
  static let schema = Schema<Item> {
    Property(\.text, .unique)
    Property(\.count, .indexed)
    \.large
    \.measure
    \.price
    \.date
    \.data
    \.key
    \.level
    \.mood
    \.spot
    \.json
    Relation(\.next, onDelete: .nullify)
    Relation(\.owner, onDelete: .cascade)
    Relation(\.list)
    Relation(\.set)
    Relation(\.map)
  }
}

extension Snapshot {
  /// Where the objects of another store's snapshot differ in value, count or order; nil where they do not.
  func difference<Element: Entity & Equatable>(from other: Snapshot, _ query: Query<Element>) -> String? {
    let (own, others) = (Array(fetch(query)), Array(other.fetch(query)))
    if own == others { return nil }
    guard own.count == others.count else {
      return "\(own.count) rows of \(Element.self), not \(others.count)"
    }
    let position = zip(own, others).enumerated().first { $0.element.0 != $0.element.1 }
    return
      "\(Element.self) at \(position.map { "\($0.offset): \($0.element.0), not \($0.element.1)" } ?? "-")"
  }
}
