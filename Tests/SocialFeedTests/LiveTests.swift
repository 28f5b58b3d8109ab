import LiveStore
import SocialFeedCore
import TestSupport
import Testing

/// Each subscribes, writes, and compares the event.
@Suite(.timeLimit(.minutes(10))) struct `Live queries` {
  @Test func `the feed follows posts and the follows of its reader`() async throws {
    let world = try await World()
    let tea = try await world.post("tea", by: world.bea, day: 1)
    let (initial, changes) = try world.store.subscribe(Post.feed(of: world.ann.id))
    var events = changes.makeAsyncIterator()
    #expect(initial.isEmpty)

    try await world.users.follow(world.bea.id, by: world.ann.id)
    var change = try #require(await events.next()?.changes)
    #expect(change.insertions == [0] && change.current.map(\.slug) == ["tea"])

    _ = try await world.post("trains", by: world.cem, day: 2)
    _ = try await world.post("tides", by: world.bea, day: 3)
    change = try #require(await events.next()?.changes)
    #expect(change.insertions == [0] && change.current.map(\.slug) == ["tides", "tea"])

    try await world.posts.like(tea.id)
    change = try #require(await events.next()?.changes)
    #expect(change.modifications.map(\.newIndex) == [1])
    #expect(change.modifications.first?[\.likeCount]?.new == 1)
    #expect(change.insertions.isEmpty && change.deletions.isEmpty && change.moves.isEmpty)

    try await world.users.follow(world.cem.id, by: world.ann.id)
    change = try #require(await events.next()?.changes)
    #expect(change.insertions == [1] && change.current.map(\.slug) == ["tides", "trains", "tea"])

    try await world.users.unfollow(world.bea.id, by: world.ann.id)
    change = try #require(await events.next()?.changes)
    #expect(change.deletions == [0, 2] && change.current.map(\.slug) == ["trains"])

    try await world.users.delete(world.cem.id)
    change = try #require(await events.next()?.changes)
    #expect(change.deletions == [0] && change.current.isEmpty)
  }

  @Test func `the feed is silent about what its reader does not see`() async throws {
    let world = try await World()
    let (_, changes) = try world.store.subscribe(Post.feed(of: world.ann.id))
    var events = changes.makeAsyncIterator()
    _ = try await world.post("trains", by: world.cem, day: 2)
    try await world.users.follow(world.cem.id, by: world.bea.id)
    _ = try await world.draft("draft", by: world.bea)
    try await world.users.follow(world.bea.id, by: world.ann.id)
    let tea = try await world.post("tea", by: world.bea, day: 3)
    let change = try #require(await events.next()?.changes)
    #expect(change.previous.isEmpty)
    #expect(change.current.map(\.id) == [tea.id])
  }

  @Test func `popular posts move as they are liked`() async throws {
    let world = try await World()
    let tea = try await world.post("tea", likes: 5)
    let trains = try await world.post("trains", likes: 4)
    let tides = try await world.post("tides", likes: 1)
    let (initial, changes) = try world.store.subscribe(Post.popular(limit: 2))
    var events = changes.makeAsyncIterator()
    #expect(initial.map(\.slug) == ["tea", "trains"])

    try await world.posts.update(trains.id) { $0.likeCount = 6 }
    var change = try #require(await events.next()?.changes)
    #expect(change.moves.map(\.id) == [trains.id] && change.moves.map(\.to) == [0])
    #expect(change.modifications.map(\.id) == [trains.id])

    try await world.posts.archive(tea.id)
    change = try #require(await events.next()?.changes)
    #expect(change.deletions == [1] && change.insertions == [1])
    #expect(change.current.map(\.id) == [trains.id, tides.id])
  }

  @Test func `popular authors follow the likes of their posts`() async throws {
    let world = try await World()
    let tea = try await world.post("tea", by: world.bea, likes: 2)
    _ = try await world.post("trains", by: world.cem, likes: 3)
    let (initial, changes) = try world.store.subscribe(User.popular(limit: 3))
    var events = changes.makeAsyncIterator()
    #expect(initial.map(\.name) == ["Cem", "Bea"])

    try await world.posts.like(tea.id)
    try await world.posts.like(tea.id)
    var change = try #require(await events.next()?.changes)
    #expect(change.moves.map(\.id) == [world.bea.id] && change.moves.map(\.to) == [0])
    #expect(change.modifications.map(\.id) == [world.bea.id])

    try await world.posts.archive(tea.id)
    change = try #require(await events.next()?.changes)
    #expect(change.deletions == [0] && change.current.map(\.name) == ["Cem"])
  }

  @Test func `sections by status appear and disappear`() async throws {
    let world = try await World()
    let tea = try await world.draft("tea", day: 1)
    let trains = try await world.draft("trains", day: 2)
    let (initial, changes) = try world.store.subscribe(Post.byStatus)
    var events = changes.makeAsyncIterator()
    #expect(initial.map(\.key) == [.draft])
    #expect(initial[0].map(\.slug) == ["trains", "tea"])

    try await world.posts.publish(tea.id, at: day(3))
    var change = try #require(await events.next()?.changes)
    #expect(change.sectionInsertions == [1] && change.sectionDeletions == [])
    #expect(change.moves.map(\.id) == [tea.id])
    #expect(change.moves.map(\.from) == [SectionPosition(section: 0, row: 1)])
    #expect(change.moves.map(\.to) == [SectionPosition(section: 1, row: 0)])

    try await world.posts.publish(trains.id, at: day(4))
    change = try #require(await events.next()?.changes)
    #expect(change.sectionDeletions == [0] && change.sectionInsertions == [])
    #expect(change.current.map(\.key) == [.published])
    #expect(change.current[0].map(\.slug) == ["trains", "tea"])

    _ = try await world.draft("tides")
    change = try #require(await events.next()?.changes)
    #expect(change.sectionInsertions == [0])
    #expect(change.insertions == [SectionPosition(section: 0, row: 0)])
  }

  @Test func `comments of a post arrive in their place`() async throws {
    let world = try await World()
    let (tea, trains) = (try await world.post("tea"), try await world.post("trains"))
    let last = try await world.comment("last", on: tea, day: 9)
    let (initial, changes) = try world.store.subscribe(Comment.on(tea.id))
    var events = changes.makeAsyncIterator()
    #expect(initial.map(\.text) == ["last"])

    _ = try await world.comment("elsewhere", on: trains, day: 1)
    let first = try await world.comment("first", on: tea, day: 1)
    var change = try #require(await events.next()?.changes)
    #expect(change.insertions == [0] && change.current.map(\.text) == ["first", "last"])

    _ = try await world.comment("reply", on: tea, parent: last, day: 10)
    change = try #require(await events.next()?.changes)
    #expect(change.insertions == [2])
    #expect(CommentTree(change.current).map(\.depth) == [0, 0, 1])

    try await world.comments.deleteSubtree(last.id)
    change = try #require(await events.next()?.changes)
    #expect(change.deletions == [1, 2] && change.current.map(\.id) == [first.id])

    try await world.posts.delete(tea.id)
    change = try #require(await events.next()?.changes)
    #expect(change.deletions == [0] && change.current.isEmpty)
  }

  @Test func `counts by author change group by group`() async throws {
    let world = try await World()
    _ = try await world.post("a", by: world.bea)
    let (initial, changes) = try world.store.subscribe(Post.countByAuthor)
    var events = changes.makeAsyncIterator()
    #expect(initial[id: world.bea.ref]?.value == 1 && initial.count == 1)

    _ = try await world.draft("d", by: world.cem)
    _ = try await world.post("b", by: world.bea)
    var change = try #require(await events.next()?.changes)
    #expect(change.modifications.map(\.id) == [world.bea.ref])
    #expect(change.modifications.first?[\.value]?.new == 2)
    #expect(change.insertions.isEmpty)

    #expect(try await world.posts.publishDrafts(of: world.cem.id, at: day(5)) == 1)
    change = try #require(await events.next()?.changes)
    #expect(change.insertions == [1] && change.current[id: world.cem.ref]?.value == 1)

    try await world.users.delete(world.bea.id)
    change = try #require(await events.next()?.changes)
    #expect(change.current[id: world.bea.ref] == nil)
    #expect(change.current[id: nil]?.value == 2)
  }

  @Test func `ranks of tags follow their use`() async throws {
    let world = try await World()
    let (tea, trains) = (try await world.post("tea"), try await world.post("trains"))
    try await world.posts.tag(tea.id, ["a", "b"])
    let (initial, changes) = try world.store.subscribe(Tag.mostUsed(limit: 5))
    var events = changes.makeAsyncIterator()
    #expect(initial.map(\.name) == ["a", "b"])
    try await world.posts.tag(trains.id, ["b"])
    var change = try #require(await events.next()?.changes)
    #expect(change.current.map(\.name) == ["b", "a"])
    try await world.posts.delete(tea.id)
    change = try #require(await events.next()?.changes)
    #expect(change.current.map(\.name) == ["b"])
  }

  @Test func `a search is a live query`() async throws {
    let world = try await World()
    let post = try await world.post("tea", by: world.bea)
    let (initial, changes) = try world.store.subscribe(Post.matching("Béa ZURICH"))
    var events = changes.makeAsyncIterator()
    #expect(initial.isEmpty)
    try await world.posts.tag(post.id, ["Zürich"])
    var change = try #require(await events.next()?.changes)
    #expect(change.insertions == [0])
    try await world.users.update(world.bea.id) { $0.name = "Ida" }
    change = try #require(await events.next()?.changes)
    #expect(change.deletions == [0])
  }

  @Test func `several lists are delivered at one version`() async throws {
    let world = try await World()
    let tea = try await world.draft("tea", by: world.bea)
    let store = world.store
    try await world.users.follow(world.bea.id, by: world.ann.id)
    var events = store.changes(
      of: Post.feed(of: world.ann.id), Post.drafts(of: world.bea.id), Post.likes(of: world.bea.id)
    ).makeAsyncIterator()
    guard case .initial((let feed, let drafts, let likes))? = await events.next() else {
      Issue.record("no initial event")
      return
    }
    #expect(feed.isEmpty && drafts.count == 1 && likes == 0)
    try await store.write { tx in
      try tx.update(Post.self, tea.id) { post in
        post.publish(at: day(2))
        post.likeCount = 3
      }
    }
    guard case .update((let feedChange, let draftsChange, let likesChange))? = await events.next() else {
      Issue.record("no update")
      return
    }
    #expect(feedChange.changes?.insertions == [0])
    #expect(draftsChange.changes?.deletions == [0])
    #expect(likesChange.value == 3)
    #expect(feedChange.results?.version == draftsChange.results?.version)
  }
}
