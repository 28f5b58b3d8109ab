import Foundation
import LiveStore
import SocialFeedCore
import TestSupport
import Testing

/// A network where anything may happen, whose whole course follows from a seed.
struct RandomStory {
  let feed: SocialFeed
  private var random: SplitMix64
  private var number = 0

  init(seed: UInt64) throws {
    feed = try SocialFeed()
    random = SplitMix64(seed: seed)
  }

  /// Does something, which may fail by the rules; then nothing has happened.
  mutating func happen() async throws {
    number += 1
    do {
      try await happen(random.int(0...15))
    } catch is SocialError {
    } catch StoreError.deleteRestricted {
    }
  }

  private mutating func happen(_ kind: Int) async throws {
    let (users, posts) = (feed.users.all, feed.posts.all)
    guard users.count > 2 else { return _ = try await feed.users.create(user()) }
    guard posts.count > 2 else { return _ = try await feed.posts.create(post(users)) }
    let (user, other, post) = (pick(users), pick(users), pick(posts))
    switch kind {
    case 0: try await feed.users.create(self.user())
    case 1: try await feed.users.deleteWithComments(user.id)
    case 2: try await feed.users.delete(user.id)
    case 3, 4: try await feed.users.follow(other.id, by: user.id)
    case 5: try await feed.users.unfollow(other.id, by: user.id)
    case 6: try await feed.users.update(user.id) { $0.name = name(number) }
    case 7, 8: try await feed.posts.create(self.post(users))
    case 9: try await feed.posts.publishDrafts(of: user.id, at: day(Double(random.int(0...9))))
    case 10: try await feed.posts.like(post.id)
    case 11: try await feed.posts.archive(post.id)
    case 12: try await feed.posts.tag(post.id, random.some(of: ["Zürich", "tea", "Träume"], upTo: 2))
    case 13: try await feed.posts.delete(post.id)
    case 14: try await comment(user, post)
    default: try await several(user, post)
    }
  }

  /// Two things in one transaction, of which a part is undone at times.
  private mutating func several(_ user: User, _ post: Post) async throws {
    let (isUndone, tag, name) = (random.chance(1, in: 3), random.pick(["tea", "new"]), name(number))
    let feed = feed
    try await feed.store.write { tx in
      try tx.update(User.self, user.id) { $0.name = name }
      do {
        try tx.savepoint { tx in
          let tag = try feed.tags.findOrCreate(tag, in: tx)
          try tx.update(Post.self, post.id) { post in
            post.tags.append(tag.ref)
            post.author = user.ref
            post.status = post.status == .draft ? .archived : .draft
          }
          if isUndone { throw SocialError.followsOneself }
        }
      } catch is SocialError {}
    }
  }

  private mutating func comment(_ user: User, _ post: Post) async throws {
    let comments = feed.comments.on(post.id)
    let parent = comments.isEmpty || random.chance(1, in: 3) ? nil : pick(comments).ref
    if let parent, random.chance(1, in: 5) {
      try await feed.comments.deleteSubtree(parent.id)
    } else {
      try await feed.comments.create(
        Comment(
          text: "\(number)", author: user.ref, post: post.ref, parent: parent,
          createdAt: day(Double(random.int(0...5)))))
    }
  }

  private mutating func pick<Element>(_ results: Results<Element>) -> Element {
    results[random.int(0...results.count - 1)]
  }

  private func user() -> User {
    User(name: name(number), email: "\(number)@example.org", joined: day(0))
  }

  private mutating func post(_ users: Results<User>) -> Post {
    Post(
      slug: "\(number)", title: random.pick(["Tea", "Thé à la menthe", "Trains"]), author: pick(users).ref,
      createdAt: day(Double(random.int(0...5))))
  }

  private func name(_ number: Int) -> String { ["Ann", "Béa", "Zürcher"][number % 3] }
}

/// The lists of the feed, found by loops over everything.
struct NaiveFeed {
  let users: [User]
  let posts: [Post]
  let tags: [Tag]
  let comments: [Comment]

  init(_ snapshot: Snapshot) {
    users = Array(snapshot.fetch(User.all))
    posts = Array(snapshot.fetch(Post.all))
    tags = Array(snapshot.fetch(Tag.all))
    comments = Array(snapshot.fetch(Comment.all))
  }

  /// Published posts, the latest first.
  var recent: [Post] {
    sorted(posts.filter { $0.status == .published }) {
      ($0.publishedAt ?? day(-1)) > ($1.publishedAt ?? day(-1))
    }
  }

  func feed(of id: User.ID) -> [Post] {
    let follows = users.first { $0.id == id }?.follows ?? []
    return recent.filter { $0.author.map(follows.contains) ?? false }
  }

  func popularAuthors(_ limit: Int) -> [User] {
    func likes(_ user: User) -> Int {
      recent.reduce(0) { $0 + ($1.author == user.ref ? $1.likeCount : 0) }
    }
    return Array(sorted(users.filter { likes($0) > 0 }) { likes($0) > likes($1) }.prefix(limit))
  }

  func mostUsed(_ limit: Int) -> [Tag] {
    func uses(_ tag: Tag) -> Int { posts.count { $0.tags.contains(tag.ref) } }
    let used = sorted(tags.filter { uses($0) > 0 }) { $0.name < $1.name }
    return Array(sorted(used) { uses($0) > uses($1) }.prefix(limit))
  }

  func popular(_ limit: Int) -> [Post] { Array(sorted(recent) { $0.likeCount > $1.likeCount }.prefix(limit)) }

  func matching(_ word: String) -> [Post] {
    recent.filter { post in
      let author = users.first { $0.ref == post.author }?.name
      let tags = post.tags.compactMap { tag in self.tags.first { $0.ref == tag }?.name }
      return ([post.title, post.body] + tags + (author.map { [$0] } ?? [])).contains {
        let folded = $0.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
        return folded.contains(word)
      }
    }
  }

  func mutuals(of id: User.ID) -> [User] {
    let follows = users.first { $0.id == id }?.follows ?? []
    return users.filter { follows.contains($0.ref) && $0.follows.contains(Ref(id)) }
  }

  /// Section after section.
  var byStatus: [Post] {
    sorted(sorted(posts) { $0.createdAt > $1.createdAt }) { $0.status < $1.status }
  }

  func comments(on id: Post.ID) -> [Comment] {
    sorted(comments.filter { $0.post.id == id }) { $0.createdAt < $1.createdAt }
  }

  /// Sorts, and leaves ties in their order.
  private func sorted<Element>(_ elements: [Element], by isBefore: (Element, Element) -> Bool) -> [Element] {
    elements.enumerated().sorted { one, other in
      if isBefore(one.element, other.element) { return true }
      return !isBefore(other.element, one.element) && one.offset < other.offset
    }.map(\.element)
  }
}
