import LiveStore
import TestSupport
import Testing

private struct Note: Entity, Equatable {
  let id: Int
  var title = ""
  var body: String?
  var tags: [String] = []
  var plain = ""
  var author: Ref<Person>?
  static let schema = Schema<Note> {
    Property(\.title, .searchable)
    Property(\.body, "text", .searchable)
    Property(\.tags, .searchable, .indexedElements)
    \.plain
    Relation(\.author)
  }
}

private struct Person: Entity {
  let id: Int
  var name = ""
  static let schema = Schema<Person> { Property(\.name, .indexed, .searchable) }
}

private struct Markdown: SearchableText, Hashable {
  var source = ""
  func forEachSearchableText(_ body: (String) -> Void) { body(source) }
}

private struct Page: Entity {
  let id: Int
  var content = Markdown()
  static let schema = Schema<Page> { Property(\.content, .searchable) }
}

private struct Document: DynamicEntity {
  let id: Int
  let json: JSONValue
  static let schema = Schema<Document>(dynamic: { document, path in document.json[path: path] })
}

private struct Numbered: Entity {
  let id: Int
  var number = 0
  static let schema = Schema<Numbered> { Property(\.number, .searchable) }
}

@Suite struct `Full-text search` {
  /// Bug: the id of the object was searched, which clients may not name.
  @Test func `words are not looked for in the object around a subquery`() throws {
    let store = try filled()
    let error = #expect(throws: StoreError.self) {
      try Note.query(format: "SUBQUERY(tags, $t, SELF TEXT 'swift').@count > 0")
    }
    #expect(error?.message.contains("name a property") == true, "\(error as Any)")
    let titles = try Note.query(format: "SELF TEXT 'swift' AND SUBQUERY(tags, $t, $t == 'swift').@count > 0")
    #expect(store.fetch(titles).map(\.id) == [1])
  }

  private func filled() throws -> Store {
    let store = try Store(Note.self, Person.self)
    try store.write { tx in
      try tx.insert(Person(id: 1, name: "José Núñez"))
      try tx.insert(
        Note(id: 1, title: "Swift actors", body: "Data races end here.", tags: ["swift", "data race"]))
      try tx.insert(Note(id: 2, title: "Café au lait", body: nil, plain: "swift", author: Ref(1)))
      try tx.insert(Note(id: 3, title: "Concurrency", body: "Swift and Rust: data, race!", tags: ["rust"]))
      try tx.insert(Note(id: 4, title: "東京 2025", body: "京都から東京まで"))
      for id in 5..<100 { try tx.insert(Note(id: id, title: "Filler \(id)", body: "nothing else")) }
    }
    return store
  }

  private func ids(_ store: Store, _ condition: (Row<Note>) -> Expr<Bool>) -> [Int] {
    store.fetch(Note.where(condition)).map(\.id).filter { $0 < 5 }
  }

  @Test func `a search finds words, phrases, beginnings and exclusions in a property or in all`() throws {
    let store = try filled()
    #expect(ids(store) { $0.title.search("SWIFT") } == [1])
    #expect(ids(store) { $0.body.search("swift") } == [3])
    #expect(ids(store) { $0.search("swift") } == [1, 3])
    #expect(ids(store) { $0.search("swift data") } == [1, 3])
    #expect(ids(store) { $0.search("concurrency rust") } == [3], "each word may be in another property")
    #expect(ids(store) { $0.search("\"data race\"") } == [1, 3])
    #expect(ids(store) { $0.body.search("\"data race\"") } == [3])
    #expect(ids(store) { $0.body.search("\"data ra*\"") } == [1, 3])
    #expect(ids(store) { $0.search("\"actors data\"") } == [], "no phrase goes from one property to another")
    #expect(ids(store) { $0.tags.search("\"swift data\"") } == [], "nor from one element to another")
    #expect(ids(store) { $0.tags.search("race") } == [1])
    #expect(ids(store) { $0.search("conc*") } == [3])
    #expect(ids(store) { $0.search("cafe") } == [2])
    #expect(ids(store) { $0.search("swift -concurrency") } == [1])
    #expect(ids(store) { $0.search("cafe or rust") } == [2, 3])
    #expect(ids(store) { $0.search("東京") } == [4])
    #expect(ids(store) { $0.body.search("京東") } == [])
    #expect(ids(store) { $0.plain.search("swift") } == [2], "without the option every text is read")
    #expect(ids(store) { $0.author.name.search("jose nun*") } == [2], "over a link")
    #expect(ids(store) { !$0.search("swift") && $0.id < 4 } == [2])
  }

  @Test func `a search without words finds every object, and a missing text has no words`() throws {
    let store = try filled()
    for text in ["", " ", "\"", "-", "or", "()"] {
      #expect(ids(store) { $0.body.search(text) } == [1, 2, 3, 4])
      #expect(Note.where { $0.search(text) } == Note.all)
    }
    #expect(ids(store) { $0.body.search("-swift") } == [1, 2, 4])
    #expect(ids(store) { $0.body.search("swift or -data") } == [2, 3, 4])
  }

  @Test func `an index of words serves a search by its rarest word, and is explained`() throws {
    let store = try filled()
    let snapshot = store.snapshot()
    let queries: [(Query<Note>, String, [Int])] = [
      (Note.where { $0.title.search("swift") }, "words Note.title: 1 of 99 rows", [1]),
      (Note.where { $0.body.search("nothing data") }, "words Note.text: 2 of 99 rows", []),
      (Note.where { $0.body.search("\"data race\" -x") }, "words Note.text: 1 of 99 rows", [3]),
      (Note.where { $0.body.search("rac*") }, "words Note.text: 2 of 99 rows", [1, 3]),
      (
        Note.where { $0.search("swift") }, "words Note.title or Note.text or Note.tags: 3 of 99 rows", [1, 3]
      ),
      (Note.where { $0.body.search("rust or ra* or missing") }, "words Note.text: 3 of 99 rows", [1, 3]),
      (Note.where { $0.body.search("missing") }, "words Note.text: 0 of 99 rows", []),
      (Note.where { $0.body.search("-nothing") }, "scan Note: 99 rows", [1, 2, 3, 4]),
      (
        Note.where { $0.body.search("rust") || $0.title.search("cafe") },
        "words Note.text or words Note.title: 2 of 99 rows", [2, 3]
      ),
      (Note.where { $0.plain.search("swift") }, "scan Note: 99 rows", [2]),
      (
        Note.where { $0.tags.contains("rust") && $0.body.search("data") }, "elements Note.tags: 1 of 99 rows",
        [3]
      ),
      (
        Note.where { $0.search("data") }.sorted(by: \.title, .descending).limit(1), "words Note.title or", [1]
      ),
      (Note.where { $0.search("swift or rust") }.offset(1).limit(5), "words Note.title or", [3]),
      (
        Note.where { $0.body.search("swift") || $0.body.search("nothing") }.limit(2), "words Note.text: 96",
        [3, 5]
      ),
    ]
    for (query, plan, ids) in queries {
      #expect(query.explain(in: snapshot).hasPrefix(plan), "\(query): \(query.explain(in: snapshot))")
      #expect(snapshot.fetch(query).map(\.id) == ids, "\(query)")
      #expect(snapshot.count(query) == ids.count, "\(query)")
    }
  }

  @Test func `searches are values: equal ones are equal and print themselves`() {
    #expect(
      Note.where { $0.title.search("Swift  actor") } == Note.where { $0.title.search("swift and ACTOR") })
    #expect(Note.where { $0.title.search("swift") } != Note.where { $0.title.search("swift*") })
    #expect(Note.where { $0.title.search("swift") } != Note.where { $0.body.search("swift") })
    #expect(
      "\(Note.where { $0.body.search("\"data ra*\" or x") })"
        == #"Note.where { text.search("\"data ra\"*") || text.search("x") }"#)
    #expect("\(Note.where { $0.search("-x") })" == #"Note.where { !(search("x")) }"#)
  }

  @Test func `types of one's own, JSON and linked rows are searched`() throws {
    let pages = try Store(Page.self)
    try pages.write { tx in
      for id in 0..<20 { try tx.insert(Page(id: id, content: Markdown(source: "*page* \(id)"))) }
      try tx.update(Page.self, 3) { $0.content.source = "# Title" }
    }
    let titled = Page.where { $0.content.search("title") }
    #expect(pages.fetch(titled).map(\.id) == [3] && titled.explain(in: pages.snapshot()).hasPrefix("words"))
    #expect(pages.fetch(Page.where { $0.search("page 1*") }).count == 11)
    #expect(try pages.snapshot().breachOfTables() == nil)

    let documents = try Store(Document.self)
    try documents.write { tx in
      try tx.insert(Document(id: 1, json: ["text": "Swift actors", "n": 1]))
      try tx.insert(Document(id: 2, json: ["text": ["one", "swift"]]))
      try tx.insert(Document(id: 3, json: ["text": 3]))
    }
    #expect(documents.fetch(Document.where { $0["text"].search("swift") }).map(\.id) == [1, 2])
    let notes = try filled()
    let authors = Person.where { $0.linking(\Note.author).contains { $0.title.search("lait") } }
    #expect(notes.fetch(authors).map(\.id) == [1])
  }

  @Test func `a property without text cannot be searched`() throws {
    let error = #expect(throws: StoreError.self) { try Store(Numbered.self) }
    #expect(error?.code == StoreError.invalidSchema && error?.property == "number")
    #expect(error?.message.contains("cannot be searched") ?? false)
  }

  @Test func `relevance counts words by their share of the text, without what is excluded`() throws {
    let store = try Store(Note.self, Person.self)
    try store.write { tx in
      try tx.insert(Note(id: 1, title: "one swift three four", body: "swift"))
      try tx.insert(Note(id: 2, title: "swift swift", body: "x y z a b c d e swift"))
      try tx.insert(Note(id: 3, title: "other", tags: ["swift actors", "x"]))
      try tx.insert(Note(id: 4))
    }
    func values(_ text: String, _ of: @Sendable (Row<Note>) -> Expr<Double>) -> [Int] {
      store.fetch(Note.all.sorted(.descending) { of($0) }).map(\.id)
    }
    // By √(f / n): 1.5, 4/3, √(1/3), 0.
    #expect(values("swift") { $0.relevance(to: "swift") } == [1, 2, 3, 4])
    #expect(store.fetch(Note.where { $0.relevance(to: "swift") == 1.5 }).map(\.id) == [1])
    #expect(store.fetch(Note.where { $0.title.relevance(to: "swift") == 1 }).map(\.id) == [2])
    #expect(store.fetch(Note.where { $0.body.relevance(to: "swift -x") == 1 }).map(\.id) == [1])
    #expect(store.fetch(Note.where { $0.title.relevance(to: "one three* swift") == 1.5 }).map(\.id) == [1])
    #expect(store.fetch(Note.where { $0.title.relevance(to: "\"swift three\" one") == 1 }).map(\.id) == [1])
    #expect(store.fetch(Note.where { $0.relevance(to: "-swift") > 0 }).isEmpty)
    #expect(
      values("swift") { $0.title.relevance(to: "swift") * 3 + $0.body.relevance(to: "swift") } == [
        2, 1, 3, 4,
      ])
    #expect(store.fetch(Note.all.sorted(byRelevanceTo: "swift").limit(1)).map(\.id) == [1])
    #expect(Note.all.sorted(byRelevanceTo: " ") == Note.all)
    #expect(Note.all.sorted(byRelevanceTo: "a b") == Note.all.sorted(byRelevanceTo: SearchPattern("A  b")))
    #expect(Note.all.sorted(byRelevanceTo: "a") != Note.all.sorted(byRelevanceTo: "b"))
    let page = try store.snapshot().page(of: Note.all.sorted(byRelevanceTo: "swift"), first: 2)
    #expect(page.rows.map(\.id) == [1, 2])
  }
}
