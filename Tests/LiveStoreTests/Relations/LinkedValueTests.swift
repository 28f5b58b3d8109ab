import LiveStore
import TestSupport
import Testing

private struct Address: Hashable, Sendable {
  var city = ""
  /// No part of the equality.
  var note = ""
  var neighbours = RefList<Person>()

  static func == (lhs: Address, rhs: Address) -> Bool { lhs.city == rhs.city }
  func hash(into hasher: inout Hasher) { hasher.combine(city) }
}

private struct Person: Entity {
  let id: Int
  var name = ""
  var address: Address?

  static let schema = Schema<Person> {
    \.name
    Embedded(\.address) { Relation(\.neighbours) }
  }
}

private struct Letter: Entity {
  let id: Int
  var recipient: Ref<Person>?

  static let schema = Schema<Letter> { Relation(\.recipient) }
}

private struct Document: DynamicEntity {
  let id: Int
  var body: JSONValue

  static let schema = Schema<Document>(dynamic: { $0.body[path: $1] })
}

private struct Shelf: Entity {
  let id: Int
  var documents = RefList<Document>()

  static let schema = Schema<Shelf> { Relation(\.documents) }
}

/// An entity whose id is a link, which no schema can list.
private struct Profile: Entity {
  let id: Ref<Person>
  var bio = ""

  static let schema = Schema<Profile> { \.bio }
}

/// What a live query notices of the values that it reads in linked objects.
@Suite(.timeLimit(.minutes(10))) struct `Values behind links` {
  private let store: Store

  init() throws {
    store = try Store(Person.self, Letter.self, Document.self, Shelf.self, Profile.self)
    try store.write { tx in
      try tx.insert(Person(id: 1, name: "Ann"))
      try tx.insert(Letter(id: 1, recipient: Ref(1)))
      try tx.insert(Document(id: 1, body: ["a": 0]))
      try tx.insert(Shelf(id: 1, documents: RefList(ids: [1])))
      try tx.insert(Profile(id: Ref(1)))
    }
  }

  /// How many objects a query finds before and after an edit, as its observer is given them.
  private func counts<Element: Entity>(
    of query: Query<Element>, _ edit: (borrowing WriteTransaction) throws -> Void
  ) async throws -> [Int] {
    let received = Recorder<Int>()
    let token = store.observe(query) { received.append($0.results?.count ?? -1) }
    try await store.settled()
    try await store.write { tx in try edit(tx) }
    try await store.settled()
    withExtendedLifetime(token) {}
    return received.events
  }

  @Test func `a document that is compared as a whole is followed`() async throws {
    let counts = try await counts(of: Shelf.where { $0.documents.contains { $0[] == ["a": 1] } }) { tx in
      try tx.update(Document.self, 1) { $0.body = ["a": 1] }
    }
    #expect(counts == [0, 1])
  }

  /// For following links, a value without links is the same as no value.
  @Test func `an empty list in place of no value is a difference`() async throws {
    let counts = try await counts(of: Letter.where { $0.recipient.address.neighbours.count == 0 }) { tx in
      try tx.update(Person.self, 1) { $0.address = Address() }
    }
    #expect(counts == [0, 1])
  }

  @Test func `a member that the equality of its value leaves out is followed when its object changes`()
    async throws
  {
    try await store.write { tx in try tx.update(Person.self, 1) { $0.address = Address(city: "Rome") } }
    let counts = try await counts(of: Letter.where { $0.recipient.address.note == "x" }) { tx in
      try tx.update(Person.self, 1) {
        $0.name = "Bea"
        $0.address?.note = "x"
      }
    }
    #expect(counts == [0, 1])
  }

  @Test(arguments: [0, 1])
  func `links that are ids are no relations, and a query over one cannot be observed`(_ form: Int)
    async throws
  {
    let query =
      form == 0 ? Profile.where { $0.id.name == "Ann" } : try Profile.where(format: "id.name == 'Ann'")
    #expect(store.fetch(query).map(\.id) == [Ref(1)])
    let error = #expect(throws: StoreError.self) { try store.subscribe(query) }
    #expect(error?.code == StoreError.invalidSchema)
  }
}
