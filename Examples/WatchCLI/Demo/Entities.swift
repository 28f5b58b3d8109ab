package import LiveStore

/// A user who writes posts, in the example of `--demo`.
package struct User: Entity {
  /// The account's number.
  package let id: Int
  /// The name that posts show.
  package var name: String
  /// How many posts there have been.
  package var postCount = 0

  /// The properties.
  package static let schema = Schema<User> {
    Property(\.name, .unique)
    \.postCount
  }

  /// A user without posts.
  package init(id: Int, name: String) {
    (self.id, self.name) = (id, name)
  }
}

/// A post, in the example of `--demo`.
package struct Post: Entity {
  /// The visibility of a post.
  package enum Status: String, Sendable {
    /// All users see it.
    case open
    /// A moderator has hidden it.
    case hidden
  }

  /// The post's number.
  package let id: Int
  /// The name of its author.
  package var author: String
  /// What it is about.
  package var title: String
  /// How many people like it.
  package var likeCount = 0
  /// Whether it can be seen.
  package var status = Status.open

  /// The properties.
  package static let schema = Schema<Post> {
    \.author
    \.title
    Property(\.likeCount, .indexed)
    \.status
  }

  /// A post without likes.
  package init(id: Int, author: String, title: String) {
    (self.id, self.author, self.title) = (id, author, title)
  }

  /// The query that the demo watches: the five most liked visible posts.
  package static var popular: Query<Post> {
    Post.where { $0.status == .open && $0.likeCount > 0 }
      .sorted(by: \.likeCount, .descending)
      .limit(5)
  }

}

extension Post: ShownEntity {
  /// The number of the post.
  package static func id(of document: Document) -> Int? {
    if case .number(let number) = document.id { number.integer.map(Int.init) } else { nil }
  }

  /// The post as it is printed.
  package var document: Document {
    Document(
      id: JSONValue(id),
      body: [
        "id": JSONValue(id), "likes": JSONValue(likeCount), "author": .string(author),
        "title": .string(title),
      ])
  }
}
