import LiveStore
import SocialFeedCore
import TestSupport
import Testing

/// An observer that knows nothing but what change sets contain.
struct Follower<Element: Entity & Equatable> {
  private var events: LiveChanges<CollectionChange<Element>>.Iterator
  private var shown: [Element]

  init(_ query: Query<Element>, _ store: Store) throws {
    let (initial, changes) = try store.subscribe(query)
    shown = Array(initial)
    events = changes.makeAsyncIterator()
  }

  /// Takes the event there must be when what it shows is no longer what it should.
  mutating func follow(to expected: [Element], _ name: String) async throws {
    if shown == expected { return }
    let changes = try #require(await events.next()?.changes, "\(name)")
    let moved = changes.moves.map { ($0.to, shown[$0.from]) }
    for index in (changes.deletions + changes.moves.map(\.from)).sorted(by: >) { shown.remove(at: index) }
    let come = changes.insertions.map { ($0, changes.current[$0]) }
    for (index, element) in (come + moved).sorted(by: { $0.0 < $1.0 }) { shown.insert(element, at: index) }
    for modification in changes.modifications { shown[modification.newIndex] = modification.new }
    try #require(shown == expected, "\(name): \(changes)")
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Random scenarios` {
  @Test(arguments: Seeds.forSuite(2, thorough: 6))
  func `live lists are those that loops over everything find`(seed: UInt64) async throws {
    var story = try RandomStory(seed: seed)
    for _ in 0..<20 { try await story.happen() }
    let store = story.feed.store
    let reader = try #require(story.feed.users.all.first).id
    let post = try #require(story.feed.posts.all.first).id
    var feed = try Follower(Post.feed(of: reader), store)
    var authors = try Follower(User.popular(limit: 3), store)
    var tags = try Follower(Tag.mostUsed(limit: 2), store)
    var popular = try Follower(Post.popular(limit: 4), store)
    var found = try Follower(Post.matching("zurich"), store)
    var mutuals = try Follower(User.mutuals(of: reader), store)
    var comments = try Follower(Comment.on(post), store)
    for step in 0..<150 {
      try await story.happen()
      // Now and then several commits become one event.
      if step % 3 == 1 { continue }
      let snapshot = store.snapshot()
      let naive = NaiveFeed(snapshot)
      try await feed.follow(to: naive.feed(of: reader), "feed")
      try await authors.follow(to: naive.popularAuthors(3), "authors")
      try await tags.follow(to: naive.mostUsed(2), "tags")
      try await popular.follow(to: naive.popular(4), "popular")
      try await found.follow(to: naive.matching("zurich"), "search")
      try await mutuals.follow(to: naive.mutuals(of: reader), "mutuals")
      try await comments.follow(to: naive.comments(on: post), "comments")
      let sections = snapshot.value(of: Post.byStatus)
      #expect(Array(sections.results) == naive.byStatus)
      #expect(sections.allSatisfy { section in section.allSatisfy { $0.status == section.key } })
      let counts = Dictionary(grouping: naive.recent, by: \.author).mapValues(\.count)
      #expect(story.feed.posts.countByAuthor() == counts)
    }
  }
}
