import Foundation
import LiveStore

/// A row of the table `posts`, and the JSON in which it is sent.
struct Post: Entity, Codable {
  let id: Int
  var author: String
  var title: String
  var likeCount: Int
  var createdAt: Date

  static let schema = Schema<Post> {
    \.author
    \.title
    Property(\.likeCount, .indexed)
    \.createdAt
  }

  /// What the service shows: the hundred most liked posts, the newest first among equals.
  ///
  /// The limit bounds what a client receives, however large the table grows.
  static var feed: Query<Post> {
    all.sorted(by: \.likeCount, .descending).sorted(by: \.createdAt, .descending)
      .sorted(by: \.id, .descending).limit(100)
  }
}

/// The body of `POST /posts`.
struct NewPost: Decodable {
  var author: String
  var title: String
}
