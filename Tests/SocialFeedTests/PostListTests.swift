import LiveStore
import SocialFeedCore
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Lists of posts` {
  @Test func `search finds words in titles, texts, authors and tags`() async throws {
    let world = try await World()
    try await world.users.update(world.bea.id) { $0.name = "Béatrice" }
    _ = try await world.post("café", by: world.ann, body: "Strong and black", day: 1)
    let trains = try await world.post("trains", by: world.bea, body: "To the coffee house", day: 2)
    _ = try await world.post("tides", by: world.cem, day: 3)
    try await world.posts.tag(trains.id, ["Zürich"])
    func slugs(_ text: String) throws -> [String] { try world.posts.search(text).items.map(\.slug) }
    #expect(try slugs("CAFE") == ["café"])
    #expect(try slugs("strong") == ["café"])
    #expect(try slugs("beatrice") == ["trains"])
    #expect(try slugs("zurich") == ["trains"])
    #expect(try slugs("ZÜR coffee") == ["trains"])
    #expect(try slugs("zürich tides") == [])
    #expect(try slugs("i") == ["tides", "trains"])
    #expect(try slugs("  ") == ["tides", "trains", "café"])
  }

  @Test func `search leaves out drafts, and no author matches nothing`()
    async throws
  {
    let world = try await World()
    _ = try await world.draft("tea")
    let post = try await world.post("tea-time", by: world.bea)
    #expect(try world.posts.search("tea").items.map(\.slug) == ["tea-time"])
    try await world.users.delete(world.bea.id)
    #expect(try world.posts.search("bea").total == 0)
    try await world.posts.archive(post.id)
    #expect(try world.posts.search("tea").total == 0)
  }

  @Test func `a search gives its results in pages`() async throws {
    let world = try await World()
    for number in 1...5 { _ = try await world.post("tea-\(number)", day: Double(number)) }
    let first = try world.posts.search("tea", size: 2)
    #expect(first.items.map(\.slug) == ["tea-5", "tea-4"])
    #expect(first.total == 5 && first.pageCount == 3 && first.number == 1 && first.hasNext)
    let last = try world.posts.search("tea", page: 3, size: 2)
    #expect(last.items.map(\.slug) == ["tea-1"])
    #expect(!last.hasNext)
  }

  @Test func `pages of one snapshot hold each post once, whatever is written`() async throws {
    let world = try await World()
    for number in 1...7 { _ = try await world.post("tea-\(number)", day: 1) }
    let snapshot = world.store.snapshot()
    var slugs: [String] = []
    for number in 1...3 {
      let page = try Page(Post.recent, in: snapshot, number: number, size: 3)
      slugs += page.items.map(\.slug)
      _ = try await world.post("new-\(number)", day: Double(number + 1))
    }
    #expect(slugs == (1...7).map { "tea-\($0)" })
    #expect(try world.posts.page(1, size: 3).items.map(\.slug) == ["new-3", "new-2", "new-1"])
  }

  @Test func `pages beyond the last are empty, and impossible ones are errors`() async throws {
    let world = try await World()
    #expect(try world.posts.page(1).pageCount == 1)
    #expect(try world.posts.page(1, size: 1).pageCount == 1)
    _ = try await world.post("tea")
    #expect(try world.posts.page(2).items.isEmpty)
    #expect(try world.posts.page(.max, size: .max).items.isEmpty)
    #expect(try world.posts.page(1, size: .max).items.count == 1)
    for (number, size) in [(0, 1), (-1, 1), (1, 0), (Int.min, 1)] {
      #expect(throws: SocialError.invalidPage(number: number, size: size)) {
        try world.posts.page(number, size: size)
      }
    }
  }

  @Test func `popular posts are sorted by likes and then the latest`() async throws {
    let world = try await World()
    _ = try await world.post("a", likes: 2, day: 1)
    _ = try await world.post("b", likes: 5, day: 1)
    _ = try await world.post("c", likes: 2, day: 3)
    _ = try await world.post("d", likes: 0, day: 4)
    _ = try await world.draft("draft")
    #expect(world.posts.popular().map(\.slug) == ["b", "c", "a", "d"])
    #expect(world.posts.popular(limit: 2).map(\.slug) == ["b", "c"])
  }

  @Test func `trending posts are sorted by likes that fade`() async throws {
    let world = try await World()
    _ = try await world.post("classic", likes: 100, day: 0)
    _ = try await world.post("fresh", likes: 4, day: 10)
    _ = try await world.post("yesterday", likes: 6, day: 9)
    _ = try await world.post("tomorrow", likes: 50, day: 11)
    let archived = try await world.post("archived", likes: 50, day: 10)
    try await world.posts.archive(archived.id)
    // At day 10 with a half-life of a day: 100/1024, 4 and 6/2.
    #expect(world.posts.trending(at: day(10)).map(\.slug) == ["fresh", "yesterday", "classic"])
    let slow = world.posts.trending(at: day(10), halfLife: 365 * 24 * 60 * 60, limit: 2)
    #expect(slow.map(\.slug) == ["classic", "yesterday"])
    #expect(world.posts.trending(at: day(10), halfLife: 0, limit: 1).map(\.slug) == ["fresh"])
    #expect(world.posts.trending(at: day(10), limit: -1).isEmpty)
    #expect(world.posts.popular(limit: 1).map(\.slug) == ["classic"])
  }

  @Test func `recent posts are sorted by date of publication`() async throws {
    let world = try await World()
    _ = try await world.post("a", day: 2)
    _ = try await world.post("b", day: 3)
    _ = try await world.post("c", day: 1)
    _ = try await world.draft("draft", day: 9)
    #expect(world.posts.recent().map(\.slug) == ["b", "a", "c"])
    #expect(world.posts.recent(limit: 1).map(\.slug) == ["b"])
  }

  @Test func `posts are listed by author, as drafts and by tag`() async throws {
    let world = try await World()
    let tea = try await world.post("tea", by: world.bea, day: 1)
    let trains = try await world.post("trains", by: world.bea, day: 2)
    let notes = try await world.draft("notes", by: world.bea)
    _ = try await world.post("other", by: world.cem)
    for post in [tea, trains, notes] { try await world.posts.tag(post.id, ["swift"]) }
    let tag = try #require(world.tags.find(name: "Swift"))
    #expect(world.posts.written(by: world.bea.id).map(\.slug) == ["tea", "trains", "notes"])
    #expect(world.posts.drafts(of: world.bea.id).map(\.slug) == ["notes"])
    #expect(world.posts.tagged(tag.id).map(\.slug) == ["trains", "tea"])
  }

  @Test func `posts are counted by author, and without one`() async throws {
    let world = try await World()
    _ = try await world.post("a", by: world.bea)
    _ = try await world.post("b", by: world.bea)
    _ = try await world.post("c", by: world.cem)
    _ = try await world.draft("d", by: world.ann)
    #expect(world.posts.countByAuthor() == [world.bea.ref: 2, world.cem.ref: 1])
    try await world.users.delete(world.cem.id)
    #expect(world.posts.countByAuthor() == [world.bea.ref: 2, nil: 1])
  }

  @Test func `posts by tag and by author are found by their links, not by a search`() async throws {
    let world = try await World()
    for number in 0..<40 { _ = try await world.post("tea-\(number)", by: number < 2 ? world.bea : world.ann) }
    let snapshot = world.store.snapshot()
    #expect(Post.written(by: world.bea.id).explain(in: snapshot).hasPrefix("links"))
    // None of the posts is a draft: the index on the status is the shorter way.
    #expect(Post.drafts(of: world.bea.id).explain(in: snapshot).hasPrefix("index Post.status: 0 of 40 rows"))
    #expect(User.followers(of: world.bea.id).explain(in: snapshot).hasPrefix("links"))
  }
}
