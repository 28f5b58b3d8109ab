import Foundation
import LiveStore

enum Mood: String, Codable, Sendable { case calm, keen }

enum Shape: Equatable, Codable, Sendable {
  case circle(radius: Double)
  case none
}

struct Address: Equatable, Codable, Sendable {
  var city: String
  var lines: [String]
  var since: Date?
}

struct Author: Entity, Codable, Equatable {
  let id: UUID
  var name: String
  static let schema = Schema<Author> { \.name }
}

/// An entity with a property of each kind.
struct Note: Entity, Codable, Equatable {
  let id: Int
  var title: String
  var stars: Double
  var ratio: Float
  var small: Int8
  var large: UInt64
  var isDone: Bool
  var mood: Mood
  var shape: Shape
  var address: Address?
  var due: Date?
  var data: Data
  var url: URL?
  var price: Decimal
  var tags: [String]
  var counts: [String: Int]
  var json: JSONValue
  var author: Ref<Author>?
  var readers: RefList<Author>
  var scratch: Int?

  static let schema = Schema<Note> {
    \.title
    Property(\.stars, .indexed)
    \.ratio
    \.small
    \.large
    \.isDone
    \.mood
    \.shape
    \.address
    \.due
    \.data
    \.url
    \.price
    \.tags
    \.counts
    \.json
    Relation(\.author)
    Relation(\.readers)
    Ignored(\.scratch)
  }

  init(_ id: Int, _ title: String = "", author: Ref<Author>? = nil) {
    self.id = id
    self.title = title
    stars = 1.5
    ratio = 0.1
    small = -128
    large = .max
    isDone = true
    mood = .keen
    shape = .circle(radius: 2)
    address = Address(city: "Köln", lines: ["a\n\"b\"", ""], since: Date(timeIntervalSince1970: 0.25))
    due = Date(timeIntervalSinceReferenceDate: 812_345_678.123)
    data = Data([0, 1, 255])
    url = URL(string: "https://example.org/a?b=c")
    price = Decimal(string: "12345678901234567890.0123") ?? 0
    tags = ["x", "y"]
    counts = ["b": 2, "a": 1]
    json = ["n": 1, "yes": true, "list": [1.5, nil, "s"]]
    self.author = author
    readers = RefList()
  }
}

/// A small entity.
struct Count: Entity, Codable, Equatable {
  let id: Int
  var value: Int
  static let schema = Schema<Count> { Property(\.value, .indexed) }
}
