package import LiveStore

/// Somebody who writes posts, in the example that `--demo` shows.
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

/// What somebody wrote, in the example that `--demo` shows.
package struct Post: Entity {
  /// What can be done with a post.
  package enum Status: String, Sendable {
    /// Everybody sees it.
    case open
    /// A moderator has hidden it.
    case hidden
  }

  /// The post's number.
  package let id: Int
  /// The name of who wrote it.
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

  /// A post that nobody likes yet.
  package init(id: Int, author: String, title: String) {
    (self.id, self.author, self.title) = (id, author, title)
  }

  /// What the demo watches: the five best liked posts that can be seen.
  package static var popular: Query<Post> {
    Post.where { $0.status == .open && $0.likeCount > 0 }
      .sorted(by: \.likeCount, .descending)
      .limit(5)
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
