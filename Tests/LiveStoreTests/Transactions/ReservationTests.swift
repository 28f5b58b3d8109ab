import Foundation
import LiveStore
import Testing

private struct Author: Entity, Codable {
  let id: Int
  var name: String
  static let schema = Schema<Author> { \.name }
}

private struct Note: Entity, Codable {
  let id: Int
  var slug: String
  var author: Ref<Author>?
  var related = RefList<Note>()
  static let schema = Schema<Note> {
    Property(\.slug, .unique)
    Relation(\.author, onDelete: .cascade)
    Relation(\.related, .owned)
  }
}

/// Not reserved; links to what is.
private struct Draft: Entity, Codable {
  let id: Int
  var note: Ref<Note>?
  static let schema = Schema<Draft> { Relation(\.note, onDelete: .nullify) }
}

/// Restricts deletions of what is deleted with a note.
private struct Copy: Entity {
  let id: Int
  let page: Ref<Page>
  static let schema = Schema<Copy> { \.page }
}

private struct Page: Entity {
  let id: Int
  let note: Ref<Note>
  static let schema = Schema<Page> { Relation(\.note, onDelete: .cascade) }
}

private struct Restricting: Entity {
  let id: Int
  var author: Ref<Author>
  static let schema = Schema<Restricting> { Relation(\.author) }
}

private struct Owning: Entity {
  let id: Int
  var authors: RefList<Author>
  static let schema = Schema<Owning> { Relation(\.authors, .owned) }
}

private struct Missing: Error {}

@Suite struct `Reserved entities` {
  private let store: Store
  private let reservation: WriteReservation

  init() throws {
    store = try Store(Author.self, Note.self, Draft.self)
    reservation = try store.reserveWrites(to: [Author.self, Note.self])
    try store.write(using: reservation) { tx in
      try tx.insert(Author(id: 1, name: "Ann"))
      try tx.insert(Note(id: 1, slug: "a", author: Ref(1)))
      try tx.insert(Draft(id: 1, note: Ref(1)))
    }
  }

  @Test func `each way to write to a reserved entity is refused at once, and nothing is written`()
    async throws
  {
    let ways: [(String, (inout WriteTransaction) throws -> Void)] = [
      ("insert", { tx in try tx.insert(Author(id: 2, name: "Bob")) }),
      ("insert many", { tx in try tx.insert(contentsOf: [Author(id: 2, name: "Bob")]) }),
      ("upsert", { tx in try tx.upsert(Author(id: 1, name: "Bob")) }),
      ("merge", { tx in try tx.upsert(Author(id: 1, name: "Bob")) { _, _ in } }),
      ("update", { tx in try tx.update(Author.self, 1) { $0.name = "Bob" } }),
      ("update a query", { tx in try tx.update(Author.all) { $0.name = "Bob" } }),
      ("replace", { tx in try tx.update(Author(id: 1, name: "Bob")) }),
      ("delete", { tx in try tx.delete(Author.self, 1) }),
      ("delete a query", { tx in try tx.delete(Author.all) }),
      ("delete all", { tx in try tx.deleteAll() }),
    ]
    let before = store.version
    for (name, way) in ways {
      try await store.write { tx in
        let error = #expect(throws: StoreError.self, "\(name)") { try way(&tx) }
        #expect(error?.code == StoreError.readOnly && error?.entity == "Author", "\(name)")
      }
      let error = await #expect(throws: StoreError.self, "\(name)") {
        try await store.transaction { tx in try way(&tx) }
      }
      #expect(error?.code == StoreError.readOnly, "\(name)")
    }
    #expect(throws: StoreError.self) {
      try store.importJSON(Author.self, from: Data(#"{"id":2,"name":"B"}"#.utf8))
    }
    #expect(store.version == before)
  }

  @Test func `an entity can be reserved once, and only the store that reserved it accepts the reservation`()
    throws
  {
    #expect(throws: StoreError.self) { try store.reserveWrites(to: [Draft.self, Note.self]) }
    let copy = Store(copying: store.snapshot())
    #expect(throws: StoreError.self) { try copy.write(using: reservation) { _ in } }
    try copy.write { tx in try tx.update(Author.self, 1) { $0.name = "Bob" } }
    try store.write { tx in try tx.insert(Draft(id: 2, note: nil)) }
    #expect(store[Author.self, 1]?.name == "Ann")
  }

  @Test func `a link may lead nowhere, and live queries see its target come and go`() async throws {
    let query = Note.where { $0.author.name == "Bob" }.sorted(by: \.author.name).tracking(\.author.name)
    let named = Note.sorted(by: \.author.name, .descending)
    var changes = store.changes(of: query).makeAsyncIterator()
    var orders = store.changes(of: named).makeAsyncIterator()
    _ = await (changes.next(), orders.next())
    try await store.write(using: reservation) { tx in try tx.insert(Note(id: 2, slug: "b", author: Ref(2))) }
    #expect(store.fetch(query).isEmpty)
    #expect(await orders.next()?.results?.map(\.id) == [1, 2])
    try await store.write(using: reservation) { tx in try tx.insert(Author(id: 2, name: "Bob")) }
    #expect(await changes.next()?.results?.map(\.id) == [2])
    #expect(await orders.next()?.results?.map(\.id) == [2, 1])
    try await store.write(using: reservation) { tx in try tx.delete(Author.self, 2) }
    guard case .update(let results, let deletion)? = await changes.next() else { throw Missing() }
    #expect(results.isEmpty && deletion.deletions == [0])
    #expect(store[Note.self, 2]?.author == Ref(2))
  }

  @Test func `no rule of a reserved entity deletes, changes or refuses anything`() throws {
    try store.write(using: reservation) { tx in
      try tx.insert(Note(id: 2, slug: "a", author: nil, related: [Ref(1), Ref(9)]))
      try tx.delete(Author.self, 1)
    }
    #expect(store[Note.self, 1]?.author == Ref(1))
    try store.write(using: reservation) { tx in try tx.delete(Note.self, 2) }
    #expect(store[Note.self, 1] != nil)
  }

  @Test func `the rules of other entities hold when the holder of the reservation writes`() throws {
    try store.write(using: reservation) { tx in try tx.delete(Note.self, 1) }
    #expect(store[Draft.self, 1]?.note == nil)
    let error = #expect(throws: StoreError.self) {
      try store.write(using: reservation) { tx in try tx.insert(Draft(id: 3, note: Ref(7))) }
    }
    #expect(error?.code == StoreError.missingLinkTarget)
  }

  @Test func `an entity whose rules could refuse or add to the writes of a reservation prevents it`() throws {
    func refusal(_ store: Store) -> StoreError? {
      #expect(throws: StoreError.self) { try store.reserveWrites(to: [Author.self, Note.self]) }
    }
    let restricting = refusal(try Store(Author.self, Note.self, Restricting.self))
    #expect(restricting?.code == StoreError.invalidSchema && restricting?.property == "author")
    let owning = refusal(try Store(Author.self, Note.self, Owning.self))
    #expect(owning?.code == StoreError.invalidSchema && owning?.entity == "Owning")
    // The deletion of a note deletes its pages, and their copies would restrict that.
    let store = try Store(Author.self, Note.self, Page.self, Copy.self)
    #expect(refusal(store)?.entity == "Copy")
    // Nothing was reserved.
    try store.write { tx in try tx.insert(Author(id: 1, name: "Ann")) }
    // A note's deletion deletes no author.
    _ = try Store(Author.self, Note.self, Restricting.self).reserveWrites(to: [Note.self])
    // All of them are the source's.
    _ = try Store(Author.self, Note.self, Restricting.self)
      .reserveWrites(to: [Author.self, Note.self, Restricting.self])
  }

  @Test func `the holder of a reservation is given the version of its commit before another writer commits`()
    async throws
  {
    var versions: [Version?] = []
    let body: (inout WriteTransaction) throws -> Void = { tx in
      try tx.upsert(Author(id: 1, name: "Bob"))
      #expect(versions.allSatisfy { $0 != tx.version })
    }
    try await store.write(using: reservation, onCommit: { versions.append($0) }, body)
    #expect(versions == [store.version])
    // Nothing differs.
    try await store.write(using: reservation, onCommit: { versions.append($0) }, body)
    #expect(versions == [store.version, nil])
    await #expect(throws: Missing.self) {
      try await store.write(using: reservation, onCommit: { versions.append($0) }) { tx in
        try tx.delete(Author.self, 1)
        throw Missing()
      }
    }
    #expect(versions.count == 2)
  }
}
