// Fifty filters as users write them, for Scripts/check-typecheck.py: what each costs the type checker.

import Foundation
import LiveStore

enum Status: String, CaseIterable { case draft, review, published, archived }

struct Address: Hashable {
  var city = ""
  var zip: String?
}

struct Person: Entity {
  let id: UUID
  var name: String
  var email: String?
  var age = 0
  var joined = Date.distantPast
  var employer: Ref<Company>?
  static let schema = Schema<Person> {
    Property(\.name, .indexed)
    \.email
    Property(\.age, .indexed)
    \.joined
    Relation(\.employer)
  }
}

struct Company: Entity {
  let id: Int
  var name: String
  var revenue = 0.0
  static let schema = Schema<Company> {
    \.name
    \.revenue
  }
}

struct Tag: Entity {
  let id: Int
  var name: String
  var weight: Double?
  static let schema = Schema<Tag> {
    \.name
    \.weight
  }
}

struct Post: Entity {
  let id: Int
  var title: String
  var subtitle: String?
  var likes = 0
  var dislikes = 0
  var views: Int32 = 0
  var score = 0.0
  var rating: Double?
  var isPinned = false
  var isRead: Bool?
  var status = Status.draft
  var previous: Status?
  var address = Address()
  var published: Date?
  var labels: Set<String> = []
  var numbers: [Int] = []
  var metadata: [String: String] = [:]
  var author: Ref<Person>?
  var tags = RefList<Tag>()
  static let schema = Schema<Post> {
    Property(\.title, .searchable)
    \.subtitle
    Property(\.likes, .indexed)
    \.dislikes
    \.views
    \.score
    \.rating
    \.isPinned
    \.isRead
    \.status
    \.previous
    \.address
    Property(\.address.city, .indexed)
    \.published
    \.labels
    \.numbers
    \.metadata
    Relation(\.author)
    Relation(\.tags)
  }
}

struct Comment: Entity {
  let id: Int
  var text: String
  var post: Ref<Post>
  static let schema = Schema<Comment> {
    \.text
    Relation(\.post, onDelete: .cascade)
  }
}

func filters(
  least: Int, text: String, cities: [String], since: Date, status: Status, person: UUID
) {
  // Comparisons.
  _ = Post.where { $0.likes > 10 }
  _ = Post.where { $0.likes >= least && $0.dislikes < 5 }
  _ = Post.where { $0.likes > 10 && $0.likes <= 100 && $0.score > 0.5 && $0.isPinned }
  _ = Post.where { $0.likes == 1 || $0.likes == 2 || $0.likes == 3 || $0.likes == 4 }
  _ = Post.where { ($0.likes > 10 || $0.isPinned) && ($0.score >= 1.5 || $0.status == .published) }
  _ = Post.where { !($0.likes < 10) && !$0.isPinned && !($0.title == "Momo") }
  _ = Post.where { $0.title != "" && $0.title > "A" && $0.title <= "Z" }
  _ = Post.where { $0.likes > $0.dislikes && $0.views > $0.likes }
  _ = Post.where { $0.likes > least && $0.score > $0.likes }
  _ = Post.where { $0.isPinned == true || $0.isRead == true }

  // Optionals.
  _ = Post.where { $0.rating != nil && $0.rating > 4 }
  _ = Post.where { ($0.rating ?? 0) < 4 && ($0.subtitle ?? "none") != "none" }
  _ = Post.where { $0.subtitle == nil || $0.subtitle == "" }
  _ = Post.where { ($0.isRead ?? false) && $0.previous == nil }
  _ = Post.where { $0.rating == 4.5 || $0.rating == nil && $0.likes > 0 }
  _ = Post.where { $0.published > since && $0.published != nil }
  _ = Post.where { $0.rating < $0.score || $0.rating > $0.likes }

  // Enumerations.
  _ = Post.where { $0.status == .draft }
  _ = Post.where { $0.status == .draft || $0.status == .review || $0.status == status }
  _ = Post.where { $0.status != .archived && $0.previous != .draft && $0.previous != nil }
  _ = Post.where { $0.status.in([.draft, .review]) && $0.likes.in([1, 2, 3]) }

  // Ranges and lists.
  _ = Post.where { $0.likes.in(10...20) }
  _ = Post.where { $0.likes.in(10..<20) || $0.likes.in(100...) || $0.score.in(0.5...1.5) }
  _ = Post.where { $0.likes.in(10...20) && $0.title.in(["Momo", "Emma"]) }
  _ = Post.where { $0.title.in(["Momo", "Faust"]) && $0.address.city.in(cities) }
  _ = Post.where { $0.rating.in(3...5) && $0.published.in(since...) }

  // Text.
  _ = Post.where { $0.title.contains(text, options: [.caseInsensitive, .diacriticInsensitive]) }
  _ = Post.where { $0.title.beginsWith("A") || $0.title.endsWith("z") || $0.subtitle.contains("b") }
  _ = Post.where { $0.title.like("?m*") && !$0.title.equals("momo", options: .caseInsensitive) }
  _ = Post.where { $0.title.beginsWith("A") && $0.address.zip.beginsWith("10") }
  _ = Post.where { $0.title.search("swift -rust") && $0.likes > 5 }
  _ = Post.where { $0.title.contains($0.address.city) || $0.title == $0.address.city }

  // Arithmetic.
  _ = Post.where { $0.likes - $0.dislikes * 2 >= 9 }
  _ = Post.where { $0.likes + 10 > least * 2 && $0.score * 2 - 1 < 10.5 }
  _ = Post.where { ($0.likes + $0.dislikes) * 3 > 100 || $0.score / 2 > 1 }
  _ = Post.where { $0.score + $0.score > ($0.rating ?? 1) * 10 }
  _ = Post.where { $0.likes / 10 > 3 && $0.score * 0.5 + 1 <= ($0.rating ?? 2) }

  // Embedded values and collections.
  _ = Post.where { $0.address.city == "Weimar" && $0.address.zip != nil }
  _ = Post.where { $0.labels.contains("classic") && $0.labels.count > 1 && !$0.labels.isEmpty }
  _ = Post.where { $0.numbers.contains { $0 > 4 } && $0.numbers.allSatisfy { $0 > 2 && $0 < 100 } }
  _ = Post.where { $0.numbers.max() == 5 && $0.numbers.sum() == 8 && $0.numbers.average() == 4 }
  _ = Post.where { $0.metadata["lang"] == "en" || $0.metadata["lang"] == nil && $0.isPinned }

  // Links.
  _ = Post.where { $0.author.name == "Ann" }
  _ = Post.where { $0.author == Ref(person) || $0.author == nil }
  _ = Post.where { $0.author.age >= 18 && $0.author.email != nil && $0.author.employer.name == "Acme" }
  _ = Post.where { $0.tags.contains { $0.name == "swift" && $0.weight > 0.5 } && $0.tags.count > 2 }
  _ = Post.where { $0.tags.isEmpty || $0.tags.allSatisfy { $0.name != "spam" } }
  _ = Post.where { $0.linking(\Comment.post).count >= 5 && $0.author.employer.revenue > 1_000_000 }
  _ = Comment.where { $0.post.title == "Hello" && $0.post.likes > 10 && $0.post.author.name.beginsWith("A") }
  _ = Person.where { $0.age.in(18..<65) && ($0.email ?? "").endsWith("@example.org") && $0.joined < since }
}
