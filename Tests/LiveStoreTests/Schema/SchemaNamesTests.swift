import LiveStore
import TestSupport
import Testing

private enum Status: Equatable, Sendable { case draft, published }

private struct Address: Equatable, Sendable {
  var street = ""
  var city = ""
}

private struct Post: Entity {
  let id: Int
  var title = ""
  var status = Status.draft
  var address = Address()
  var former: Address?
  var likeCount = 0
  var slug = ""
  var `class` = ""
  var max = 0
  var scratch = 0
  static let schema = Schema<Post> {
    \.title
    \.status
    \.address
    \.former
    Property(\.likeCount, .indexed)
    Property(\.slug, "permalink", .unique)
    \.class
    \.max
    Ignored(\.scratch)
  }
}

@Suite struct `Names of properties` {
  /// The names that a change from one post to another is reported under.
  private func namesOfChanges(_ edit: (inout Post) -> Void) async throws -> [String] {
    let store = try Store(Post.self)
    try await store.write { tx in try tx.insert(Post(id: 1)) }
    let (_, changes) = try store.subscribe(Post.all)
    var events = changes.makeAsyncIterator()
    try await store.write { tx in _ = try tx.update(Post.self, 1, edit) }
    let change = try #require(await events.next()?.changes)
    return change.properties(of: change.modifications[0]).map(\.name)
  }

  @Test func `names of properties come from the key path`() async throws {
    #expect(try await namesOfChanges { $0.title = "new" } == ["title"])
    #expect(try await namesOfChanges { $0.status = .published } == ["status"])
    #expect(try await namesOfChanges { $0.likeCount = 1 } == ["likeCount"])
  }

  @Test func `reserved words and members of collections are plain names of properties`() async throws {
    #expect(try await namesOfChanges { $0.class = "new" } == ["class"])
    #expect(try await namesOfChanges { $0.max = 1 } == ["max"])
  }

  @Test func `a given name of a property replaces that of its key path`() async throws {
    #expect(try await namesOfChanges { $0.slug = "new" } == ["permalink"])
  }

  @Test func `names of several changed properties are in the order of the schema`() async throws {
    let names = try await namesOfChanges {
      $0.slug = "new"
      $0.title = "new"
      $0.likeCount = 3
    }
    #expect(names == ["title", "likeCount", "permalink"])
  }

  @Test func `a change inside a nested struct is reported under the listed property`() async throws {
    let store = try Store(Post.self)
    try await store.write { tx in try tx.insert(Post(id: 1)) }
    let (_, changes) = try store.subscribe(Post.all)
    var events = changes.makeAsyncIterator()
    try await store.write { tx in try tx.update(Post.self, 1) { $0.address.city = "Bern" } }
    let change = try #require(await events.next()?.changes)
    let property = try #require(change.properties(of: change.modifications[0]).first)
    #expect(property.name == "address")
    #expect(property.old as? Address == Address())
    #expect(property.new as? Address == Address(street: "", city: "Bern"))
    let city = try #require(change.modifications[0][\.address.city])
    #expect(city.old == "" && city.new == "Bern")
  }

  @Test func `errors give a property its name in the schema`() async throws {
    let store = try Store(Post.self)
    let error = try await #require(throws: StoreError.self) {
      try await store.write { tx in
        try tx.insert(Post(id: 1, slug: "same"))
        try tx.insert(Post(id: 2, slug: "same"))
      }
    }
    #expect(error.property == "permalink")
  }

  @Test func `nested properties filter and sort by their path`() async throws {
    let store = try Store(Post.self)
    try await store.write { tx in
      try tx.insert(Post(id: 1, address: Address(city: "Bern"), slug: "1"))
      try tx.insert(Post(id: 2, address: Address(city: "Ara"), former: Address(city: "Bern"), slug: "2"))
      try tx.insert(Post(id: 3, address: Address(city: "Chur"), former: Address(city: "Ara"), slug: "3"))
    }
    let snapshot = store.snapshot()
    #expect(snapshot.fetch(Post.where { $0.address.city == "Bern" }).map(\.id) == [1])
    #expect(snapshot.fetch(Post.where { $0.former.city == "Bern" }).map(\.id) == [2])
    #expect(snapshot.fetch(Post.where { $0.former.city != "Bern" }).map(\.id) == [1, 3])
    #expect(snapshot.fetch(Post.sorted(by: \.address.city)).map(\.id) == [2, 1, 3])
    #expect(snapshot.fetch(Post.sorted(by: \.former.city)).map(\.id) == [1, 3, 2])
    #expect(snapshot.fetch(Post.where { $0[\.max] == 0 }).count == 3)
  }

  @Test func `an observer of a nested property receives changes of that property alone`() async throws {
    let store = try Store(Post.self)
    try await store.write { tx in try tx.insert(Post(id: 1)) }
    let recorder = Recorder<CollectionChange<Post>>()
    let token = store.observe(Post.all, initial: .skip, properties: [\.address.city]) { recorder.append($0) }
    try await store.settled()
    try await store.write { tx in try tx.update(Post.self, 1) { $0.address.street = "Marktgasse" } }
    try await store.settled()
    #expect(recorder.count == 0)
    try await store.write { tx in try tx.update(Post.self, 1) { $0.address.city = "Bern" } }
    try await store.settled()
    #expect(recorder.count == 1)
    token.invalidate()
  }
}
