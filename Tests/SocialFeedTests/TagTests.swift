import LiveStore
import SocialFeedCore
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Tags` {
  @Test func `tags are created and read by id and by name in any case`() async throws {
    let world = try await World()
    let swift = try await world.tags.create(Tag(name: " Swift "))
    #expect(swift.name == "Swift")
    #expect(world.tags.find(swift.id) == swift)
    #expect(world.tags.find(name: "sWIFT") == swift)
    #expect(world.tags.find(name: "Swi") == nil)
  }

  @Test func `a name has one tag`() async throws {
    let world = try await World()
    try await world.tags.create(Tag(name: "Swift"))
    await expect(StoreError.uniqueViolation, in: world.store) {
      try await world.tags.create(Tag(name: "SWIFT"))
    }
    await expect(SocialError.empty(property: "name"), in: world.store) {
      try await world.tags.create(Tag(name: "  "))
    }
  }

  @Test func `tags are renamed, upserted and deleted`() async throws {
    let world = try await World()
    let tag = try await world.tags.create(Tag(name: "Swift"))
    try await world.tags.update(tag.id) { $0.rename(to: "Rust") }
    #expect(world.tags.find(name: "rust")?.id == tag.id)
    #expect(world.tags.find(name: "swift") == nil)
    #expect(try await world.tags.upsert(Tag(id: tag.id, name: "Go")) == false)
    #expect(world.tags.all.map(\.name) == ["Go"])
    let post = try await world.post("tea")
    try await world.posts.tag(post.id, ["go", "tea"])
    #expect(try await world.tags.delete(tag.id))
    #expect(world.posts.find(post.id)?.tags.count == 1)
  }

  @Test func `tags are created, updated and deleted in batches`() async throws {
    let world = try await World()
    let tags = ["a", "b", "c"].map { Tag(name: $0) }
    try await world.tags.create(contentsOf: tags)
    try await world.tags.update(contentsOf: tags.map(\.id)) { $0.rename(to: $0.name + "!") }
    #expect(world.tags.all.map(\.name) == ["a!", "b!", "c!"])
    await expect(StoreError.uniqueViolation, in: world.store) {
      try await world.tags.update(contentsOf: tags.map(\.id)) { $0.rename(to: "same") }
    }
    #expect(try await world.tags.delete(contentsOf: tags.map(\.id)) == 3)
    #expect(world.tags.count == 0)
  }

  @Test func `tags are found or created by name`() async throws {
    let world = try await World()
    let swift = try await world.tags.findOrCreate("Swift")
    let version = world.store.version
    #expect(try await world.tags.findOrCreate("swift ") == swift)
    #expect(world.store.version == version)
    let tags = try await world.tags.findOrCreate(["Linux", "SWIFT", "linux"])
    #expect(tags.map(\.name) == ["Linux", "Swift", "Linux"])
    #expect(world.tags.count == 2)
    #expect(world.store.version.number == version.number + 1)
    await expect(SocialError.empty(property: "name"), in: world.store) {
      _ = try await world.tags.findOrCreate(["new", ""])
    }
  }

  @Test func `many concurrent callers create a tag once`() async throws {
    let world = try await World()
    let tags = world.tags
    let made = try await withThrowingTaskGroup(of: Tag.ID.self) { group in
      for number in 0..<20 {
        group.addTask { try await tags.findOrCreate(number.isMultiple(of: 2) ? "Swift" : "SWIFT").id }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(made.count == 1)
    #expect(tags.count == 1)
  }

  @Test func `tags are ranked by the number of their posts`() async throws {
    let world = try await World()
    for (slug, names) in [("one", ["a", "b"]), ("two", ["b", "c"]), ("three", ["b", "a"])] {
      let post = try await world.post(slug)
      try await world.posts.tag(post.id, names)
    }
    _ = try await world.tags.findOrCreate("unused")
    let used = world.tags.mostUsed()
    #expect(used.map(\.tag.name) == ["b", "a", "c"])
    #expect(used.map(\.count) == [3, 2, 1])
    #expect(world.tags.mostUsed(limit: 1).map(\.tag.name) == ["b"])
  }
}
