public import Foundation
public import LiveStore
public import LiveStoreObservation
public import Observation

/// The content of a screen with a list of posts, and its user's actions; for SwiftUI, UIKit or a terminal.
///
/// The list, the sections and the counts update by themselves. The list shows the result of an action when the call
/// returns. ``problem`` is the last error, until an action succeeds.
@MainActor @Observable
public final class PostListModel {
  /// The posts that contain every word of ``searchText``, the latest first.
  public let posts: LiveResults<Post>
  /// The same posts by status.
  public let sections: LiveSections<Post, Post.Status>
  /// How many posts are published, and how many there are.
  public let counts: LiveSources<(Int, Int), (ValueChange<Int>, ValueChange<Int>)>
  /// The post that is being written or edited.
  public private(set) var draft: EditableCopy<Post>?
  /// Why the user's last action failed.
  public private(set) var problem: String?

  private let store: Store
  private let author: User.ID

  /// The posts of a store, as one of its users sees them.
  ///
  /// - Parameters:
  ///   - pageSize: how many posts are shown at first.
  ///   - initial: whether the first frame shows posts already.
  public init(_ feed: SocialFeed, author: User.ID, pageSize: Int = 10, initial: InitialValue = .synchronous) {
    store = feed.store
    self.author = author
    self.pageSize = pageSize
    posts = LiveResults(store, Self.posts(with: "").limit(pageSize), initial: initial)
    sections = LiveSections(store, Self.posts(with: "").sectioned(by: \.status), initial: initial)
    counts = LiveSources(store, Post.published.count, Post.all.count, initial: initial)
  }

  private let pageSize: Int

  /// The search text; it may be set with every key that is pressed.
  public var searchText = "" {
    didSet {
      guard searchText != oldValue else { return }
      posts.query = Self.posts(with: searchText).limit(pageSize)
      sections.query = Self.posts(with: searchText).sectioned(by: \.status)
    }
  }

  private static func posts(with text: String) -> Query<Post> {
    text.split(whereSeparator: \.isWhitespace).reduce(Post.sorted(by: \.createdAt, .descending)) {
      query, word in
      query.where { $0.mentions(String(word)) }
    }
  }

  /// Whether there are more posts than are shown.
  public var hasMore: Bool { posts.hasMore }
}

// MARK: Writing and editing

extension PostListModel {
  /// Starts a post; the user fills in ``draft``.
  public func create(at date: Date) {
    let post = Post(slug: "", title: "", author: Ref(author), createdAt: date)
    draft = EditableCopy(inserting: post, in: store)
  }

  /// Starts editing a post.
  public func edit(_ id: Post.ID) {
    perform {
      let post = try found(id)
      draft = EditableCopy(of: post, in: store)
    }
  }

  /// Writes the draft to the store; the draft stays if that fails.
  ///
  /// - Parameter resolution: how to treat properties that another user has changed in the meantime.
  public func save(resolving resolution: ConflictResolution = .refuse) {
    guard let draft else { return }
    perform {
      if draft.title.isEmpty { throw SocialError.empty(property: "title") }
      if draft.slug.isEmpty { draft.slug = draft.title.lowercased().replacingOccurrences(of: " ", with: "-") }
      try draft.commit(resolving: resolution)
      self.draft = nil
    }
  }

  /// Discards the draft.
  public func cancel() {
    draft = nil
    problem = nil
  }
}

// MARK: One post

extension PostListModel {
  /// Lets all users see a post.
  public func publish(_ id: Post.ID, at date: Date) { update(id) { $0.publish(at: date) } }

  /// Counts a like.
  public func like(_ id: Post.ID) {
    update(id) { post in
      guard post.status == .published else { throw SocialError.notPublished(slug: post.slug) }
      post.likeCount += 1
    }
  }

  /// Deletes a post.
  public func delete(_ id: Post.ID) {
    perform {
      let isThere = try posts.edit { tx in try tx.delete(Post.self, id) }
      if !isThere { _ = try found(id) }
    }
  }

  private func update(_ id: Post.ID, _ edit: (inout Post) throws -> Void) {
    perform { try posts.edit { tx in try tx.update(Post.self, id, edit) } }
  }

  private func found(_ id: Post.ID) throws -> Post {
    guard let post = store.snapshot()[Post.self, id] else { throw SocialError.deleted }
    return post
  }

  private func perform(_ action: () throws -> Void) {
    do {
      try action()
      problem = nil
    } catch {
      problem = error.localizedDescription
    }
  }
}
