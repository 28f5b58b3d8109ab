// A file as users write it: fifty typed filters, whose type checking is timed by Scripts/check-typecheck.py.

import Foundation
import LiveStore

enum Status: String, Codable, CaseIterable, Comparable {
  case draft, published, archived

  static func < (lhs: Status, rhs: Status) -> Bool { lhs.rawValue < rhs.rawValue }
}

struct Address: Codable, Hashable {
  var city = ""
  var zip: String?
}

struct Tag: Entity, Codable {
  let id: Int
  var name = ""
  var weight = 0.5
  static let schema = Schema<Tag> {
    \.name
    \.weight
  }
}

struct User: Entity, Codable {
  let id: UUID
  var name = ""
  var age: Int?
  var isActive = true
  static let schema = Schema<User> {
    \.name
    \.age
    \.isActive
  }
}

struct Post: Entity, Codable {
  let id: UUID
  var title = ""
  var body: String?
  var likeCount = 0
  var rating: Double?
  var price = Decimal(1)
  var status = Status.draft
  var created = Date.distantPast
  var edited: Date?
  var address: Address?
  var keywords: [String] = []
  var scores: [Int] = []
  var extra: [String: Int] = [:]
  var author: Ref<User>?
  var tags = RefList<Tag>()
  static let schema = Schema<Post> {
    \.title
    \.body
    Property(\.likeCount, .indexed)
    \.rating
    \.price
    \.status
    \.created
    \.edited
    \.address
    \.keywords
    \.scores
    \.extra
    \.author
    \.tags
  }
}

func filters(now: Date, name: String, minimum: Int, ids: [UUID]) -> [Query<Post>] {
  var queries: [Query<Post>] = []
  queries.append(Post.where { $0.likeCount == 3 })
  queries.append(Post.where { $0.likeCount >= minimum && $0.likeCount < 2 * minimum })
  queries.append(Post.where { $0.likeCount.in(1...10) || $0.likeCount == 100 })
  queries.append(Post.where { !($0.likeCount == 0) && $0.title != "" })
  queries.append(Post.where { $0.title == name })
  queries.append(Post.where { $0.title.contains("swift") && $0.title.hasPrefix("The") })
  queries.append(
    Post.where {
      $0.title.contains(name, options: .caseInsensitive) || $0.body.contains(name, options: .caseInsensitive)
    })
  queries.append(Post.where { $0.body == nil })
  queries.append(Post.where { $0.body != nil && $0.rating == nil })
  queries.append(Post.where { $0.rating > 3.5 })
  queries.append(Post.where { $0.rating >= 1 && $0.rating <= 2.5 && $0.likeCount > 4 })
  queries.append(Post.where { $0.rating.in(1.0..<4.0) })
  queries.append(Post.where { $0.price > 10 && $0.price <= 99 })
  queries.append(Post.where { $0.status == .published })
  queries.append(Post.where { $0.status != .archived && $0.status != .draft })
  queries.append(Post.where { $0.status.in([.draft, .published]) })
  queries.append(Post.where { $0.created > now })
  queries.append(Post.where { $0.created >= now.addingTimeInterval(-86_400) && $0.created < now })
  queries.append(Post.where { $0.edited == nil || $0.edited > now })
  queries.append(Post.where { $0.address.city == "Rome" })
  queries.append(Post.where { $0.address.zip == "00100" && $0.address.city != "Paris" })
  queries.append(Post.where { $0.keywords.contains("a") })
  queries.append(Post.where { $0.keywords.contains("a") && !$0.keywords.contains("b") })
  queries.append(Post.where { $0.keywords.contains { $0.hasPrefix("sw") } })
  queries.append(Post.where { $0.scores.contains { $0 > 3 && $0 < 9 } })
  queries.append(Post.where { $0.scores.count > 2 && $0.scores.sum() >= 10 })
  queries.append(Post.where { $0.keywords.isEmpty || $0.keywords.count == 1 })
  queries.append(Post.where { $0.extra["a"] == 1 })
  queries.append(Post.where { $0.extra["a"] > 1 && $0.extra["b"] == nil })
  queries.append(Post.where { $0.author.name == "Ann" })
  queries.append(Post.where { $0.author.name == name && $0.author.isActive == true })
  queries.append(Post.where { $0.author.age >= 18 && $0.author.age < 65 })
  queries.append(Post.where { $0.author == nil })
  queries.append(Post.where { $0.tags.contains { $0.name == "swift" } })
  queries.append(Post.where { $0.tags.contains { $0.name == "swift" && $0.weight > 0.5 } })
  queries.append(Post.where { $0.tags.contains { $0.weight >= 0.1 } && $0.likeCount > 1 })
  queries.append(Post.where { $0.tags.count > 2 })
  queries.append(Post.where { $0.tags.isEmpty || $0.author.name != "Bob" })
  queries.append(Post.where { $0.likeCount + 1 > minimum })
  queries.append(Post.where { $0.likeCount * 2 - 1 >= minimum && $0.likeCount + minimum < 1_000 })
  queries.append(Post.where { 10 - $0.likeCount > 0 })
  queries.append(Post.where { $0.id.in(ids) })
  queries.append(Post.where { $0.likeCount > 1 && $0.rating > 1 && $0.title != "" && $0.status == .draft })
  queries.append(
    Post.where { $0.likeCount == 1 || $0.likeCount == 2 || $0.likeCount == 3 || $0.likeCount == 4 })
  queries.append(
    Post.where { ($0.likeCount > 1 || $0.rating > 4) && ($0.status == .draft || $0.author.name == name) })
  queries.append(
    Post.where {
      $0.likeCount >= 10 && $0.author.name == "Ann" && $0.tags.contains { $0.name == "swift" }
    })
  queries.append(
    Post.where { !($0.title.isEmpty || $0.body == nil) && ($0.likeCount > 0 || $0.edited != nil) })
  queries.append(Post.where { $0.title < "m" && $0.created < now && $0.likeCount <= 5 && $0.rating != nil })
  queries.append(Post.where { $0.title == "a" || ($0.title == "b" && $0.likeCount < 3) || $0.title == "c" })
  queries.append(
    Post.where { $0.likeCount >= 10 }.sorted(by: \.likeCount, .descending).sorted(by: \.author.name).limit(20)
  )
  return queries
}
