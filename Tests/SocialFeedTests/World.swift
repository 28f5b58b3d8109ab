import Foundation
import LiveStore
import SocialFeedCore
import TestSupport
import Testing

// `Testing` has comments and tags of its own.
typealias Comment = SocialFeedCore.Comment
typealias Tag = SocialFeedCore.Tag

/// Three users in a store of their own.
struct World {
  let feed: SocialFeed
  let ann: User
  let bea: User
  let cem: User

  init() async throws {
    feed = try SocialFeed()
    ann = World.user("Ann")
    bea = World.user("Bea")
    cem = World.user("Cem")
    try await feed.users.create(contentsOf: [ann, bea, cem])
  }

  var store: Store { feed.store }
  var users: UserRepository { feed.users }
  var posts: PostRepository { feed.posts }
  var comments: CommentRepository { feed.comments }
  var tags: TagRepository { feed.tags }

  static func user(_ name: String) -> User {
    User(name: name, email: "\(name.lowercased())@example.org", joined: day(0))
  }

  /// Adds a draft.
  func draft(_ slug: String, by author: User? = nil, body: String = "", day: Double = 1) async throws -> Post
  {
    try await posts.create(
      Post(
        slug: slug, title: slug.capitalized, body: body, author: (author ?? ann).ref,
        createdAt: SocialFeedTests.day(day)))
  }

  /// Adds a post that all users see.
  func post(
    _ slug: String, by author: User? = nil, body: String = "", likes: Int = 0, day: Double = 1
  ) async throws -> Post {
    let draft = try await draft(slug, by: author, body: body, day: day)
    return try await posts.update(draft.id) {
      $0.publish(at: SocialFeedTests.day(day))
      $0.likeCount = likes
    }
  }

  /// Adds a comment by Ann.
  func comment(_ text: String, on post: Post, parent: Comment? = nil, day: Double) async throws -> Comment {
    try await comments.create(
      Comment(
        text: text, author: ann.ref, post: post.ref, parent: parent?.ref,
        createdAt: SocialFeedTests.day(day)))
  }
}

/// A time on a fixed calendar.
func day(_ number: Double) -> Date { Date(timeIntervalSince1970: number * 24 * 60 * 60) }

/// Expects an error of the store, and that nothing has changed by it.
func expect(
  _ code: StoreError.Code, in store: Store, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () async throws -> Void
) async {
  let version = store.version
  do {
    try await body()
    Issue.record("no error", sourceLocation: sourceLocation)
  } catch {
    #expect((error as? StoreError)?.code == code, "\(error)", sourceLocation: sourceLocation)
  }
  #expect(store.version == version, sourceLocation: sourceLocation)
}

/// Expects what the domain forbids, and that nothing has changed by it.
func expect(
  _ expected: SocialError, in store: Store, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () async throws -> Void
) async {
  let version = store.version
  do {
    try await body()
    Issue.record("no error", sourceLocation: sourceLocation)
  } catch {
    #expect(error as? SocialError == expected, "\(error)", sourceLocation: sourceLocation)
    #expect(!error.localizedDescription.isEmpty, sourceLocation: sourceLocation)
  }
  #expect(store.version == version, sourceLocation: sourceLocation)
}
