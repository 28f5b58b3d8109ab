import LiveStore
import TestSupport
import Testing

private struct City: Entity {
  let id: Int
  var name = ""
  static let schema = Schema<City> { Property(\.name, .indexed) }
}

private struct Author: Entity {
  let id: String
  var name = ""
  var age: Int?
  var rank = 0
  var city: Ref<City>?
  static let schema = Schema<Author> {
    Property(\.name, .indexed)
    Property(\.age, .indexed)
    \.rank
    Relation(\.city)
  }
}

private struct Tag: Entity {
  let id: Int
  var name = ""
  static let schema = Schema<Tag> { Property(\.name, .indexed) }
}

private struct Paper: Entity {
  let id: Int
  var title = 0
  var author: Ref<Author>?
  var editor: Ref<Author>
  var tags = RefList<Tag>()
  static let schema = Schema<Paper> {
    Property(\.title, .indexed)
    Relation(\.author, onDelete: .nullify)
    Relation(\.editor, onDelete: .restrict)
    Relation(\.tags)
  }
}

/// Conditions on objects behind links, which the indexes of those objects serve.
@Suite struct LinkedIndexTests {
  private struct World {
    let store: Store
    let cities: [Int: City]
    let authors: [String: Author]
    let tags: [Int: Tag]
    let papers: [Paper]

    func author(_ reference: Ref<Author>?) -> Author? { reference.flatMap { authors[$0.id] } }
    func city(_ paper: Paper) -> City? { author(paper.author)?.city.flatMap { cities[$0.id] } }
    func names(_ paper: Paper) -> [String] { paper.tags.compactMap { tags[$0.id]?.name } }
  }

  private func world() throws -> World {
    let store = try Store(Paper.self, Author.self, City.self, Tag.self)
    let cities = (0..<20).map { City(id: $0, name: "city \($0 % 15)") }
    let authors = (0..<200).map { id in
      Author(
        id: "a\(id)", name: "name \(id % 150)", age: id % 4 == 0 ? nil : id % 90, rank: id % 3,
        city: id % 7 == 0 ? nil : Ref(id % 20))
    }
    let tags = (0..<60).map { Tag(id: $0, name: "tag \($0 % 50)") }
    let papers = (0..<3_000).map { id in
      Paper(
        id: id, title: id % 100, author: id % 5 == 0 ? nil : Ref("a\(id * 7 % 200)"),
        editor: Ref("a\(id * 11 % 200)"), tags: RefList([id % 60, id * 3 % 60].map { Ref($0) }))
    }
    try store.write { tx in
      try tx.insert(contentsOf: cities)
      try tx.insert(contentsOf: authors)
      try tx.insert(contentsOf: tags)
      try tx.insert(contentsOf: papers)
    }
    return World(
      store: store, cities: Dictionary(uniqueKeysWithValues: cities.map { ($0.id, $0) }),
      authors: Dictionary(uniqueKeysWithValues: authors.map { ($0.id, $0) }),
      tags: Dictionary(uniqueKeysWithValues: tags.map { ($0.id, $0) }), papers: papers)
  }

  private typealias Case = (query: Query<Paper>, plan: String, test: (Paper) -> Bool)

  private func served(_ world: World) -> [Case] {
    [
      (
        Paper.where { $0.author.name == "name 3" }, "links Paper.author by index Author.name",
        { world.author($0.author)?.name == "name 3" }
      ),
      (
        Paper.where { $0.editor.name.in(["name 3", "name 149", "absent"]) },
        "links Paper.editor by index Author.name",
        { ["name 3", "name 149"].contains(world.author($0.editor)?.name) }
      ),
      (
        Paper.where { $0.author.age > 87 && $0.author.age < 100 }, "links Paper.author by index Author.age",
        { world.author($0.author)?.age.map { $0 > 87 && $0 < 100 } ?? false }
      ),
      (
        Paper.where { $0.author.age.in(0..<2) && $0.title > 20 }, "links Paper.author by index Author.age",
        { world.author($0.author)?.age.map { $0 < 2 } ?? false && $0.title > 20 }
      ),
      (
        Paper.where { $0.author.city.name == "city 13" }, "links Paper.author by index City.name",
        { world.city($0)?.name == "city 13" }
      ),
      (
        Paper.where { $0.author.name == "name 3" || $0.title == 7 },
        "links Paper.author by index Author.name or index Paper.title",
        { world.author($0.author)?.name == "name 3" || $0.title == 7 }
      ),
      (
        Paper.where { $0.tags.contains { $0.name == "tag 4" } }, "links Paper.tags by index Tag.name",
        { world.names($0).contains("tag 4") }
      ),
      (
        Paper.where { paper in paper.tags.contains { $0.name == "tag 4" } && paper.author.rank == 1 },
        "links Paper.tags by index Tag.name",
        { world.names($0).contains("tag 4") && world.author($0.author)?.rank == 1 }
      ),
      (Paper.where { $0.author.name == "absent" }, "links Paper.author by index Author.name", { _ in false }),
      (
        Paper.where { $0.author.id == "a7" }, "links Paper.author by id of Author",
        { $0.author?.id == "a7" }
      ),
      (
        Paper.where { $0.editor.id.in(["a7", "a8", "absent"]) && $0.title > 20 },
        "links Paper.editor by id of Author", { ["a7", "a8"].contains($0.editor.id) && $0.title > 20 }
      ),
      (
        Paper.where { $0.author.city.id == 13 }, "links Paper.author by id of City",
        { world.city($0)?.id == 13 }
      ),
    ]
  }

  /// What no index of the objects behind the links answers, or what objects pass that have no links.
  private func others(_ world: World) -> [Case] {
    [
      (Paper.where { $0.author.age == nil }, "", { world.author($0.author)?.age == nil }),
      (Paper.where { $0.author.age.in([nil, 5]) }, "", { [nil, 5].contains(world.author($0.author)?.age) }),
      (Paper.where { $0.author.name != "name 3" }, "", { world.author($0.author)?.name != "name 3" }),
      (Paper.where { !($0.author.name == "name 3") }, "", { world.author($0.author)?.name != "name 3" }),
      (Paper.where { ($0.author.age ?? 5) == 5 }, "", { (world.author($0.author)?.age ?? 5) == 5 }),
      (Paper.where { $0.author.rank == 1 }, "", { world.author($0.author)?.rank == 1 }),
      (Paper.where { $0.author.age >= 0 }, "", { (world.author($0.author)?.age ?? -1) >= 0 }),
      (
        Paper.where { $0.tags.allSatisfy { $0.name == "tag 4" } }, "",
        { world.names($0).allSatisfy { $0 == "tag 4" } }
      ),
      (
        Paper.where { paper in paper.author.name == "name 3" || paper.editor.rank == 1 }, "",
        { world.author($0.author)?.name == "name 3" || world.author($0.editor)?.rank == 1 }
      ),
    ]
  }

  @Test func `an index of the objects that links lead to serves conditions on them`() throws {
    let world = try world()
    let snapshot = world.store.snapshot()
    for (query, plan, test) in served(world) {
      let ids = world.papers.filter(test).map(\.id)
      let explained = query.explain(in: snapshot)
      #expect(explained.hasPrefix("\(plan): "), "\(explained)")
      #expect(snapshot.fetch(query).map(\.id) == ids, "\(explained)")
      #expect(snapshot.count(query) == ids.count, "\(explained)")
      #expect(
        snapshot.fetch(query.offset(1).limit(3)).map(\.id) == Array(ids.dropFirst().prefix(3)), "\(explained)"
      )
      let sorted = ids.sorted { (world.papers[$1].title, $0) < (world.papers[$0].title, $1) }
      #expect(snapshot.fetch(query.sorted(by: \.title, .descending)).map(\.id) == sorted, "\(explained)")
      #expect(query.analyze(in: snapshot).testedRows <= 300, "\(query.analyze(in: snapshot))")
    }
  }

  @Test func `conditions that objects without links pass, or that no index serves, are tested on all`() throws
  {
    let world = try world()
    let snapshot = world.store.snapshot()
    for (query, _, test) in others(world) {
      let plan = query.explain(in: snapshot)
      #expect(plan.hasPrefix("scan"), "\(plan)")
      #expect(snapshot.fetch(query).map(\.id) == world.papers.filter(test).map(\.id), "\(plan)")
    }
  }

  /// Bug: all rows were scanned. Cause: an id has no index of its own.
  @Test func `the id of a linked object finds the same rows as the link, which serves both`() throws {
    let world = try world()
    let snapshot = world.store.snapshot()
    let byLink = snapshot.fetch(Paper.where { $0.author == Ref("a7") }).map(\.id)
    let queries = [
      Paper.where { $0.author.id == "a7" }, try Paper.where(format: "author.id == 'a7'"),
      try Paper.where(format: "author.id IN {'a7', 'absent'}"),
    ]
    for query in queries {
      let explained = query.explain(in: snapshot)
      #expect(explained.hasPrefix("links Paper.author by id of Author"), "\(explained)")
      #expect(snapshot.fetch(query).map(\.id) == byLink && !byLink.isEmpty)
    }
  }

  @Test func `a text filter over links is served, too`() throws {
    let world = try world()
    let query = try Paper.where(format: "author.city.name == 'city 13' AND author.age > 3")
    #expect(query.explain(in: world.store.snapshot()).hasPrefix("links Paper.author by index City.name"))
    #expect(
      world.store.fetch(query).map(\.id)
        == world.papers.filter { paper in
          world.city(paper)?.name == "city 13" && (world.author(paper.author)?.age ?? 0) > 3
        }.map(\.id))
  }

  @Test func `a transaction finds what it has linked, and not what it has deleted`() throws {
    let store = try world().store
    let query = Paper.where { $0.author.name == "name 3" }
    let before = store.fetch(query).map(\.id)
    try store.write { tx in
      try tx.insert(Author(id: "new", name: "name 3"))
      try tx.update(Paper.self, 0) { $0.author = Ref("new") }
      #expect(tx.fetch(query).map(\.id) == [0] + before)
      try tx.update(Author.self, "new") { $0.name = "other" }
      #expect(tx.fetch(query).map(\.id) == before)
      try tx.update(Author.self, "new") { $0.name = "name 3" }
    }
    #expect(store.fetch(query).map(\.id) == [0] + before)
    try store.write { tx in try tx.delete(Author.self, "new") }
    #expect(store.fetch(query).map(\.id) == before)
  }
}
