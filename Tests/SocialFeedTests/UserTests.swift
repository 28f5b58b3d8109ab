import LiveStore
import SocialFeedCore
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Users` {
  @Test func `users are created and read by id and by email`() async throws {
    let world = try await World()
    #expect(world.users.find(world.ann.id) == world.ann)
    #expect(world.users.find(email: "bea@example.org") == world.bea)
    #expect(world.users.find(World.user("Dag").id) == nil)
    #expect(world.users.find(email: "dag@example.org") == nil)
    #expect(world.users.all.map(\.name) == ["Ann", "Bea", "Cem"])
    #expect(world.users.count == 3)
  }

  @Test func `a user is updated`() async throws {
    let world = try await World()
    let updated = try await world.users.update(world.ann.id) { $0.bio = "Reads" }
    #expect(updated.bio == "Reads")
    #expect(world.users.find(world.ann.id) == updated)
    let missing = World.user("Dag")
    await expect(StoreError.notFound, in: world.store) {
      _ = try await world.users.update(missing.id) { $0.bio = "" }
    }
  }

  @Test func `users are upserted and keep their place`() async throws {
    let world = try await World()
    var ann = world.ann
    ann.name = "Anna"
    #expect(try await world.users.upsert(ann) == false)
    #expect(try await world.users.upsert(World.user("Dag")) == true)
    #expect(world.users.all.map(\.name) == ["Anna", "Bea", "Cem", "Dag"])
  }

  @Test func `a deleted user is followed by no other user`() async throws {
    let world = try await World()
    try await world.users.follow(world.bea.id, by: world.ann.id)
    #expect(try await world.users.delete(world.bea.id))
    #expect(try await world.users.delete(world.bea.id) == false)
    #expect(world.users.find(world.ann.id)?.follows == [])
  }

  @Test func `an email has one account`() async throws {
    let world = try await World()
    await expect(StoreError.uniqueViolation, in: world.store) {
      try await world.users.create(World.user("Ann"))
    }
    await expect(StoreError.duplicateID, in: world.store) { try await world.users.create(world.ann) }
    await expect(StoreError.uniqueViolation, in: world.store) {
      _ = try await world.users.update(world.bea.id) { $0.email = "ann@example.org" }
    }
  }

  @Test func `a user has a name`() async throws {
    let world = try await World()
    await expect(SocialError.empty(property: "name"), in: world.store) {
      try await world.users.create(World.user(""))
    }
    await expect(SocialError.empty(property: "name"), in: world.store) {
      _ = try await world.users.update(world.ann.id) { $0.name = "" }
    }
  }

  @Test func `users are created in batches, all or none`() async throws {
    let world = try await World()
    await expect(StoreError.uniqueViolation, in: world.store) {
      try await world.users.create(contentsOf: [World.user("Dag"), World.user("Ann")])
    }
    try await world.users.create(contentsOf: [World.user("Dag"), World.user("Eva")])
    #expect(world.users.count == 5)
  }

  @Test func `users are updated in batches, all or none`() async throws {
    let world = try await World()
    let version = world.store.version
    try await world.users.update(contentsOf: [world.ann.id, world.cem.id]) { $0.bio = "Here" }
    #expect(world.users.all.map(\.bio) == ["Here", nil, "Here"])
    #expect(world.store.version.number == version.number + 1)
    await expect(StoreError.notFound, in: world.store) {
      try await world.users.update(contentsOf: [world.ann.id, World.user("Dag").id]) { $0.bio = nil }
    }
  }

  @Test func `users are deleted in batches and counted`() async throws {
    let world = try await World()
    let ids = [world.ann.id, World.user("Dag").id, world.cem.id]
    #expect(try await world.users.delete(contentsOf: ids) == 2)
    #expect(world.users.all.map(\.name) == ["Bea"])
  }

  @Test func `a user with comments is deleted only together with them`() async throws {
    let world = try await World()
    let post = try await world.post("tea", by: world.bea)
    let first = try await world.comment("First", on: post, day: 1)
    try await world.comments.create(
      Comment(text: "No", author: world.bea.ref, post: post.ref, parent: first.ref, createdAt: day(2)))
    await expect(StoreError.deleteRestricted, in: world.store) {
      try await world.users.delete(world.ann.id)
    }
    #expect(try await world.users.deleteWithComments(world.ann.id))
    #expect(world.users.count == 2)
    #expect(world.comments.count == 0)
    #expect(world.posts.count == 1)
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Following` {
  @Test func `following and unfollowing report whether they changed anything`() async throws {
    let world = try await World()
    #expect(try await world.users.follow(world.bea.id, by: world.ann.id))
    #expect(try await world.users.follow(world.bea.id, by: world.ann.id) == false)
    #expect(world.users.following(world.ann.id).map(\.name) == ["Bea"])
    #expect(try await world.users.unfollow(world.bea.id, by: world.ann.id))
    #expect(try await world.users.unfollow(world.bea.id, by: world.ann.id) == false)
    #expect(world.users.following(world.ann.id).isEmpty)
  }

  @Test func `following needs two different users that exist`() async throws {
    let world = try await World()
    let dag = World.user("Dag")
    await expect(SocialError.followsOneself, in: world.store) {
      try await world.users.follow(world.ann.id, by: world.ann.id)
    }
    await expect(SocialError.followsOneself, in: world.store) {
      _ = try await world.users.update(world.ann.id) { $0.follows.insert($0.ref) }
    }
    await expect(StoreError.notFound, in: world.store) {
      try await world.users.follow(world.ann.id, by: dag.id)
    }
    await expect(StoreError.missingLinkTarget, in: world.store) {
      try await world.users.follow(dag.id, by: world.ann.id)
    }
  }

  @Test func `following is known from both ends`() async throws {
    let world = try await World()
    try await world.users.follow(world.cem.id, by: world.ann.id)
    try await world.users.follow(world.bea.id, by: world.ann.id)
    try await world.users.follow(world.ann.id, by: world.cem.id)
    try await world.users.follow(world.bea.id, by: world.cem.id)
    #expect(world.users.following(world.ann.id).map(\.name) == ["Bea", "Cem"])
    #expect(world.users.followers(of: world.bea.id).map(\.name) == ["Ann", "Cem"])
    #expect(world.users.mutuals(of: world.ann.id).map(\.name) == ["Cem"])
    #expect(world.users.mutuals(of: world.bea.id).isEmpty)
  }

  @Test func `a feed has the posts of followed users, the latest first`() async throws {
    let world = try await World()
    _ = try await world.post("old", by: world.bea, day: 1)
    _ = try await world.post("new", by: world.cem, day: 3)
    _ = try await world.post("middle", by: world.bea, day: 2)
    _ = try await world.post("own", by: world.ann, day: 4)
    _ = try await world.draft("draft", by: world.bea)
    #expect(world.users.feed(of: world.ann.id).isEmpty)
    try await world.users.follow(world.bea.id, by: world.ann.id)
    #expect(world.users.feed(of: world.ann.id).map(\.slug) == ["middle", "old"])
    try await world.users.follow(world.cem.id, by: world.ann.id)
    #expect(world.users.feed(of: world.ann.id).map(\.slug) == ["new", "middle", "old"])
    #expect(world.users.feed(of: world.ann.id, limit: 2).map(\.slug) == ["new", "middle"])
  }

  @Test func `a profile counts posts, likes, comments and followers`() async throws {
    let world = try await World()
    let tea = try await world.post("tea", likes: 3)
    _ = try await world.post("trains", likes: 4)
    let archived = try await world.post("tides", likes: 5)
    try await world.posts.archive(archived.id)
    _ = try await world.draft("trees")
    _ = try await world.comment("Well", on: tea, day: 1)
    try await world.users.follow(world.ann.id, by: world.bea.id)
    try await world.users.follow(world.ann.id, by: world.cem.id)
    try await world.users.follow(world.bea.id, by: world.ann.id)
    let counts = world.users.counts(of: world.ann.id)
    #expect(counts.published == 2 && counts.drafts == 1 && counts.likes == 7 && counts.comments == 1)
    #expect(counts.followers == 2 && counts.following == 1)
    let unknown = world.users.counts(of: World.user("Dag").id)
    #expect(unknown.published == 0 && unknown.likes == 0 && unknown.followers == 0)
  }

  @Test func `popular users are ranked by likes`() async throws {
    let world = try await World()
    _ = try await world.post("tea", by: world.bea, likes: 3)
    _ = try await world.post("trains", by: world.cem, likes: 2)
    _ = try await world.post("tides", by: world.cem, likes: 2)
    #expect(world.users.popular().map(\.name) == ["Cem", "Bea"])
    #expect(world.users.popular(limit: 1).map(\.name) == ["Cem"])
  }
}
