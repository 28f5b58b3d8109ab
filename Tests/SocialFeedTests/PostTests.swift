import LiveStore
import SocialFeedCore
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Posts` {
  @Test func `posts are created as drafts and read by id and by slug`() async throws {
    let world = try await World()
    let post = try await world.draft("tea")
    #expect(post.status == .draft && post.publishedAt == nil && post.likeCount == 0)
    #expect(world.posts.find(post.id) == post)
    #expect(world.posts.find(slug: "tea") == post)
    #expect(world.posts.find(slug: "coffee") == nil)
  }

  @Test func `posts are updated, upserted and deleted`() async throws {
    let world = try await World()
    var post = try await world.draft("tea")
    post = try await world.posts.update(post.id) { $0.title = "Green Tea" }
    #expect(world.posts.find(slug: "tea")?.title == "Green Tea")
    post.body = "Hot"
    #expect(try await world.posts.upsert(post) == false)
    #expect(world.posts.find(slug: "tea")?.body == "Hot")
    let other = Post(slug: "trains", title: "Trains", author: nil, createdAt: day(1))
    #expect(try await world.posts.upsert(other) == true)
    #expect(try await world.posts.delete(post.id))
    #expect(try await world.posts.delete(post.id) == false)
    #expect(world.posts.all.map(\.slug) == ["trains"])
  }

  @Test func `a post has a slug of its own, a title and an author that exists`() async throws {
    let world = try await World()
    let post = try await world.draft("tea")
    await expect(StoreError.uniqueViolation, in: world.store) { _ = try await world.draft("tea") }
    await expect(SocialError.empty(property: "title"), in: world.store) {
      _ = try await world.posts.update(post.id) { $0.title = "" }
    }
    await expect(SocialError.empty(property: "slug"), in: world.store) {
      _ = try await world.posts.update(post.id) { $0.slug = "" }
    }
    await expect(StoreError.missingLinkTarget, in: world.store) {
      _ = try await world.draft("trains", by: World.user("Dag"))
    }
  }

  @Test func `posts are created, updated and deleted in batches, all or none`() async throws {
    let world = try await World()
    let posts = ["a", "b", "c"].map { Post(slug: $0, title: $0, author: nil, createdAt: day(1)) }
    let version = world.store.version
    try await world.posts.create(contentsOf: posts)
    #expect(world.store.version.number == version.number + 1)
    await expect(StoreError.uniqueViolation, in: world.store) {
      try await world.posts.update(contentsOf: posts.map(\.id)) { $0.slug = "same" }
    }
    try await world.posts.update(contentsOf: posts.map(\.id)) { $0.slug += "!" }
    #expect(world.posts.all.map(\.slug) == ["a!", "b!", "c!"])
    #expect(try await world.posts.delete(contentsOf: posts.prefix(2).map(\.id)) == 2)
    #expect(world.posts.all.map(\.slug) == ["c!"])
  }

  @Test func `posts outlive their author's account`() async throws {
    let world = try await World()
    let post = try await world.post("tea", by: world.bea)
    try await world.users.delete(world.bea.id)
    #expect(world.posts.find(post.id)?.author == nil)
    #expect(world.posts.recent().map(\.slug) == ["tea"])
  }

  @Test func `a post that is published again keeps its first date`() async throws {
    let world = try await World()
    let post = try await world.draft("tea")
    #expect(try await world.posts.publish(post.id, at: day(5)).publishedAt == day(5))
    #expect(try await world.posts.archive(post.id).status == .archived)
    let again = try await world.posts.publish(post.id, at: day(9))
    #expect(again.status == .published && again.publishedAt == day(5))
  }

  @Test func `all drafts of an author are published in one transaction`() async throws {
    let world = try await World()
    for slug in ["a", "b", "c"] { _ = try await world.draft(slug) }
    _ = try await world.draft("other", by: world.bea)
    let old = try await world.post("old", day: 2)
    let version = world.store.version
    #expect(try await world.posts.publishDrafts(of: world.ann.id, at: day(7)) == 3)
    #expect(world.store.version.number == version.number + 1)
    #expect(world.posts.written(by: world.ann.id).allSatisfy { $0.status == .published })
    #expect(world.posts.find(old.id)?.publishedAt == day(2))
    #expect(world.posts.drafts(of: world.bea.id).map(\.slug) == ["other"])
    #expect(try await world.posts.publishDrafts(of: world.ann.id, at: day(8)) == 0)
    #expect(world.store.version.number == version.number + 1)
  }

  @Test func `posts are liked while they are published and viewed at any time`() async throws {
    let world = try await World()
    let post = try await world.draft("tea")
    #expect(try await world.posts.view(post.id) == 1)
    #expect(try await world.posts.view(post.id) == 2)
    await expect(SocialError.notPublished(slug: "tea"), in: world.store) {
      try await world.posts.like(post.id)
    }
    try await world.posts.publish(post.id, at: day(2))
    #expect(try await world.posts.like(post.id) == 1)
    #expect(try await world.posts.like(post.id) == 2)
    await expect(StoreError.notFound, in: world.store) {
      try await world.posts.like(World.user("Dag").id)
    }
  }

  @Test func `posts lose none of many concurrent likes`() async throws {
    let world = try await World()
    let posts = world.posts
    let post = try await world.post("tea")
    try await withThrowingTaskGroup { group in
      for _ in 0..<50 { group.addTask { _ = try await posts.like(post.id) } }
      try await group.waitForAll()
    }
    #expect(posts.find(post.id)?.likeCount == 50)
  }

  @Test func `posts are given tags by name, in order, each tag once`() async throws {
    let world = try await World()
    let swift = try await world.tags.findOrCreate("Swift")
    let post = try await world.draft("tea")
    let tagged = try await world.posts.tag(post.id, ["Tea", "swift", "TEA"])
    #expect(world.store.snapshot()[tagged.tags].map(\.name) == ["Tea", "Swift"])
    #expect(tagged.tags.contains(swift.ref))
    #expect(world.tags.count == 2)
  }
}
