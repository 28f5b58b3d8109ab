import LiveStore
import TestSupport
import Testing

@Suite struct `Inspected entities` {
  @Test func `an inspection lists entities with their properties, relations and indexes`() throws {
    let store = try Store(InspectedPaper.self, InspectedTopic.self)
    try store.write { tx in
      for id in 0..<3 { try tx.insert(InspectedTopic(id: id)) }
      for id in 0..<5 {
        try tx.insert(
          InspectedPaper(
            id: id, slug: "\(id)", title: "one two", tags: ["a", "b"], topic: Ref(id % 3),
            related: id == 0 ? [] : [Ref(0)]))
      }
    }
    let inspection = store.inspection
    #expect(inspection.identity == store.identity && inspection.version == store.version)
    #expect(inspection.entities.map(\.name) == ["InspectedPaper", "InspectedTopic"])
    #expect(inspection.entities.map(\.rows) == [5, 3])
    let article = inspection.entities[0]
    #expect(
      article.properties.map(\.name) == [
        "slug", "title", "tags", "topic", "related", "place", "scratch", "place.section",
      ])
    #expect(
      article.properties.map(\.type) == [
        "String", "String", "Array<String>", "Optional<Ref<InspectedTopic>>", "RefList<InspectedPaper>",
        "Optional<Place>",
        "Int",
        "Optional<Ref<InspectedTopic>>",
      ])
    #expect(
      article.properties.map(\.options) == [
        ["unique"], ["indexed", "searchable"], ["indexedElements"], [], [], [], ["ignored"], [],
      ])
    let relations = Dictionary(
      uniqueKeysWithValues: article.properties.compactMap { property in
        property.relation.map { (property.name, $0) }
      })
    #expect(Set(relations.keys) == ["topic", "related", "place.section"])
    let topic = try #require(relations["topic"])
    #expect(topic.target == "InspectedTopic" && topic.deleteRule == .cascade)
    #expect(!topic.isToMany && !topic.isRequired && !topic.isOwned)
    #expect(relations["related"]?.isToMany == true && relations["related"]?.target == "InspectedPaper")
    #expect(relations["place.section"]?.target == "InspectedTopic")
    let indexes = article.indexes.map { "\($0.name) \($0.kind.rawValue) \($0.isUnique) \($0.entries)" }
    #expect(
      Set(indexes) == [
        "id ids true 5", "slug values true 5", "title values false 5", "(title, slug) values false 5",
        "topic links false 5", "related links false 4", "place.section links false 5",
        "tags elements false 10",
        "title words false 10",
      ])
  }

  /// Trees by size and shape, with the bytes that a walk over all nodes counts.
  @Test(arguments: [0, 1, 31, 32, 33, 1_000, 50_000])
  func `estimated bytes are those of all nodes, to a tenth`(count: Int) throws {
    var random = SplitMix64(seed: UInt64(count))
    var tree = Tree(.keys(order: .both))
    for _ in 0..<count { tree.insert(TreeKey(random.next() >> 1, 0)) }
    // Leaves are unequally full where rows were removed.
    var full = tree
    for rank in stride(from: count / 2 - 1, to: 0, by: -3) { full.remove(full.entry(at: rank).key) }
    for tree in [tree, full] {
      let (exact, estimate) = (Double(tree.statistics.bytes), Double(tree.estimatedBytes))
      #expect(abs(exact - estimate) <= exact * (tree.height < 2 ? 0.001 : 0.1), "\(estimate) of \(exact)")
    }
  }

  @Test func `the bytes of a table grow with its rows, and an empty one has none`() throws {
    let store = try Store(Item.self)
    #expect(store.inspection.entities[0].bytes == 0)
    try store.write { tx in try tx.insert(contentsOf: (0..<10_000).map { Item($0, rank: $0) }) }
    let item = store.inspection.entities[0]
    let exact = store.snapshot().state.tables[0].rows.statistics.bytes
    #expect(abs(item.bytes - exact) < exact / 10)
    #expect(item.indexes.allSatisfy { $0.bytes > 10_000 * 12 && $0.bytes < 10_000 * 40 })
  }
}
