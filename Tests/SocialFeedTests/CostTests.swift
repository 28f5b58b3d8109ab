import LiveStore
import SocialFeedCore
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Costs of live lists` {
  /// How many live lists a commit has brought up to date.
  private func updates(in store: Store, _ body: () async throws -> Void) async throws -> Int {
    try await store.settled()
    let before = store.metrics.updates
    try await body()
    try await store.settled()
    return store.metrics.updates - before
  }

  @Test func `a like updates the live list of the post's tag and no other`() async throws {
    let world = try await World()
    let tags = try await world.tags.findOrCreate((0..<20).map { "tag-\($0)" })
    let post = try await world.post("tea")
    try await world.posts.tag(post.id, ["tag-3"])
    let streams = try tags.map { try world.store.subscribe(Post.tagged($0.id)).changes.makeAsyncIterator() }
    #expect(try await updates(in: world.store) { try await world.posts.like(post.id) } == 1)
    #expect(streams.count == 20)
  }

  @Test func `a comment updates the live list of its post and no other`() async throws {
    let world = try await World()
    var posts: [Post] = []
    for number in 0..<20 { posts.append(try await world.post("tea-\(number)")) }
    let streams = try posts.map { try world.store.subscribe(Comment.on($0.id)).changes.makeAsyncIterator() }
    #expect(
      try await updates(in: world.store) { _ = try await world.comment("Well", on: posts[3], day: 1) } == 1)
    #expect(streams.count == 20)
  }

  @Test func `a draft updates the live list of its author and no other`() async throws {
    let world = try await World()
    let streams = try [world.ann, world.bea, world.cem].map {
      try world.store.subscribe(Post.drafts(of: $0.id)).changes.makeAsyncIterator()
    }
    #expect(try await updates(in: world.store) { _ = try await world.draft("tea", by: world.bea) } == 1)
    #expect(streams.count == 3)
  }
}
