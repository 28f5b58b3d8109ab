import Foundation
import LiveStore

/// An id whose hashes nearly all collide, and which has no order.
struct CollidingID: Hashable, Sendable, CustomStringConvertible, Canonical {
  var number: Int
  func hash(into hasher: inout Hasher) { hasher.combine(number % 3) }
  var description: String { "#\(number)" }
  var canon: Canon { number.canon }
}

/// An id whose hashes collide in small groups, and which has an order.
struct CrowdedID: Hashable, Comparable, Sendable, CustomStringConvertible, Canonical {
  var number: Int
  func hash(into hasher: inout Hasher) { hasher.combine(number / 6) }
  static func < (left: CrowdedID, right: CrowdedID) -> Bool { left.number < right.number }
  var description: String { "§\(number)" }
  var canon: Canon { number.canon }
}

enum Status: Int, Comparable, CaseIterable, Sendable, Canonical {
  case draft, review, published
  static func < (left: Status, right: Status) -> Bool { left.rawValue < right.rawValue }
  var canon: Canon { rawValue.canon }
}

struct Address: Equatable, Sendable, Canonical {
  var city: String
  var height: Double
  var owner: Ref<User>?
  var canon: Canon { .list([city.canon, height.canon, owner.canon]) }
}

struct Item: Equatable, Sendable, Canonical {
  var count: Int
  var tag: Ref<Tag>?
  var canon: Canon { .list([count.canon, tag.canon]) }
}

struct Team: Entity {
  var id: Int
  var name: String
  var rank: Int
  var city: String?
  var samples: [Double]
  static let schema = Schema<Team> {
    Property(\.name, .unique)
    \.rank
    Property(\.city, .indexed)
    \.samples
  }
}

struct Tag: Entity {
  var id: CollidingID
  var name: String
  var weight: Double
  var parent: Ref<Tag>?
  static let schema = Schema<Tag> {
    Property(\.name, .indexed)
    \.weight
    Relation(\.parent, onDelete: .cascade)
  }
}

struct User: Entity {
  var id: String
  var name: String
  var score: Double
  var age: Int?
  var ratio: Float
  var quota: UInt64
  var balance: Decimal?
  var handle: String?
  var team: Ref<Team>?
  var boss: Ref<User>?
  var scratch = 0
  static let schema = Schema<User> {
    \.name
    Property(\.score, .indexed)
    \.age
    Property(\.ratio, .indexed)
    Property(\.quota, .indexed)
    \.balance
    Property(\.handle, .unique)
    Relation(\.team, onDelete: .nullify)
    Relation(\.boss, onDelete: .restrict)
    Ignored(\.scratch)
  }
}

struct Post: Entity {
  var id: Int
  var title: String
  var likes: Int
  var status: Status
  var isHidden: Bool
  var date: Date
  var rating: Double?
  var author: Ref<User>?
  var team: Ref<Team>
  var tags = RefList<Tag>()
  var related = RefSet<Post>()
  var roles = RefMap<User>()
  var address: Address?
  var items: [Item] = []
  var pinned = RefList<Comment>()
  var scratch = 0
  static let schema = Schema<Post> {
    Property(\.title, .indexed)
    Property(\.likes, .indexed)
    \.status
    \.isHidden
    Property(\.date, .indexed)
    \.rating
    Relation(\.author, onDelete: .cascade)
    Relation(\.team)
    Relation(\.tags)
    Relation(\.related)
    Relation(\.roles)
    Embedded(\.address) { Relation(\.owner) }
    Embedded(each: \.items) { Relation(\.tag, onDelete: .restrict) }
    Relation(\.pinned, .owned)
    Ignored(\.scratch)
  }
}

struct Comment: Entity {
  var id: CrowdedID
  var text: String
  var votes: Int?
  var post: Ref<Post>
  var reply: Ref<Comment>?
  static let schema = Schema<Comment> {
    \.text
    Property(\.votes, .indexed)
    Relation(\.post, onDelete: .cascade)
    Relation(\.reply, onDelete: .nullify)
  }
}
