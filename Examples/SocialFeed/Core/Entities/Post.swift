public import Foundation
public import LiveStore

/// Something a user wrote.
public struct Post: Entity, Hashable {
  /// Who can see a post, in the order of its life.
  public enum Status: Comparable, Hashable, Sendable, CaseIterable {
    /// Its author.
    case draft
    /// All users.
    case published
    /// All users with a link to it; lists and feeds leave it out.
    case archived
  }

  /// Which post this is.
  public let id: UUID
  /// The name in its address; no two posts have the same.
  public var slug: String
  /// The headline.
  public var title: String
  /// The text.
  public var body: String
  /// Who can see it.
  public var status: Status
  /// How many people like it.
  public var likeCount: Int
  /// How many times it was opened.
  public var viewCount: Int
  /// When it was begun.
  public var createdAt: Date
  /// When it was published, if it was.
  public var publishedAt: Date?
  /// Its author. Optional, because a post stays when its author's account is deleted: others have commented on it and
  /// link to it. Then it has no author.
  public var author: Ref<User>?
  /// What it is about, the most important first.
  public var tags: RefList<Tag>

  /// The properties.
  public static let schema = Schema<Post> {
    Property(\.slug, .unique)
    \.title
    \.body
    Property(\.status, .indexed)
    Property(\.likeCount, .indexed)
    \.viewCount
    \.createdAt
    Property(\.publishedAt, .indexed)
    Relation(\.author, onDelete: .nullify)
    Relation(\.tags)
  }

  /// A draft.
  public init(
    id: UUID = UUID(), slug: String, title: String, body: String = "", author: Ref<User>?,
    tags: RefList<Tag> = [], createdAt: Date
  ) {
    self.id = id
    self.slug = slug
    self.title = title
    self.body = body
    status = .draft
    likeCount = 0
    viewCount = 0
    self.createdAt = createdAt
    self.author = author
    self.tags = tags
  }
}

// MARK: What happens to one post

extension Post {
  /// Lets all users see the post. One that was published before keeps its date.
  public mutating func publish(at date: Date) {
    status = .published
    publishedAt = publishedAt ?? date
  }

  /// How popular the post is at present: its likes, which count half as much with every half-life that has
  /// passed since it was published. A half-life is a second or longer.
  public func heat(at now: Date, halfLife: TimeInterval) -> Double {
    guard status == .published, let publishedAt else { return 0 }
    let age = max(0, now.timeIntervalSince(publishedAt))
    return Double(likeCount) * pow(0.5, age / max(1, halfLife))
  }
}

// MARK: Queries

/// Queries are values: a repository fetches them, `store.changes(of:)` follows them, and `where`, `sorted` and
/// `limit` make others of them.
extension Post {
  /// What all users can see.
  public static var published: Query<Post> { Post.where { $0.status == .published } }

  /// What all users can see, the latest first.
  public static var recent: Query<Post> { published.sorted(by: \.publishedAt, .descending) }

  /// The posts most people like; of equally popular ones the latest first.
  public static func popular(limit: Int) -> Query<Post> {
    published.sorted(by: \.likeCount, .descending).sorted(by: \.publishedAt, .descending).limit(limit)
  }

  /// Everything that a user wrote, in the order of writing.
  public static func written(by author: User.ID) -> Query<Post> {
    Post.linking(to: Ref(author), by: \.author)
  }

  /// What a user has not published yet.
  public static func drafts(of author: User.ID) -> Query<Post> {
    written(by: author).where { $0.status == .draft }
  }

  /// What all users can see under a tag, the latest first.
  public static func tagged(_ tag: Tag.ID) -> Query<Post> {
    Post.linking(to: Ref(tag), by: \.tags).where { $0.status == .published }
      .sorted(by: \.publishedAt, .descending)
  }

  /// The published posts of the users that a user follows, the latest first.
  ///
  /// The query leads from a post to its author and from there back to the author's followers. So an observer also gets
  /// changes when the user follows another user. The price: each live feed tests every change of a published post, as
  /// no property of the post says whose feeds it is in.
  public static func feed(of reader: User.ID) -> Query<Post> {
    recent.where { $0.author.linking(\User.follows).contains { $0.id == reader } }
  }

  /// Published posts in which each word of a text occurs, in whatever case and with or without accents.
  public static func matching(_ text: String) -> Query<Post> {
    text.split(whereSeparator: \.isWhitespace).reduce(recent) { query, word in
      query.where { $0.mentions(String(word)) }
    }
  }

  /// All posts in sections: drafts, published ones, archived ones; the latest first in each.
  public static var byStatus: SectionedQuery<Post, Status> {
    Post.sorted(by: \.createdAt, .descending).sectioned(by: \.status)
  }

  /// The likes of all that a user has published: a number that can be read and observed.
  public static func likes(of author: User.ID) -> Aggregate<Post, Int> {
    written(by: author).where { $0.status == .published }.sum(\.likeCount)
  }

  /// How many posts each author has published; posts without an author are a group, too.
  public static var countByAuthor: GroupAggregate<Post, Ref<User>?, Int> {
    published.grouped(by: \.author).count
  }
}

extension Row<Post> {
  /// Whether a word occurs in the title, the text, the author's name or that of a tag.
  public func mentions(_ word: String) -> Expr<Bool> {
    let loosely: TextOptions = [.caseInsensitive, .diacriticInsensitive]
    return self.title.contains(word, options: loosely)
      || self.body.contains(word, options: loosely)
      || self.author.name.contains(word, options: loosely)
      || self.tags.contains { $0.name.contains(word, options: loosely) }
  }
}
