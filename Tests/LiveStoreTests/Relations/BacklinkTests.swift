import LiveStore
import TestSupport
import Testing

private struct Spot<ID: CollidingID>: Entity {
  let id: ID
  static var schema: Schema<Spot<ID>> { Schema<Spot<ID>> {} }
}

private struct Trip<ID: CollidingID>: Entity {
  let id: ID
  var start: Ref<Spot<ID>>?
  var goal: Ref<Spot<ID>>?
  var strict: Ref<Spot<ID>>?
  var stops = RefList<Spot<ID>>()
  static var schema: Schema<Trip<ID>> {
    Schema<Trip<ID>> {
      Relation(\.start)
      Relation(\.goal, onDelete: .cascade)
      Relation(\.strict, onDelete: .restrict)
      Relation(\.stops)
    }
  }
}

private struct Firm: Entity, Hashable {
  let id: Int
  static let schema = Schema<Firm> {
    Inverse("seats", of: \Branch.seat.firm)
    Inverse("stores", of: \Branch.store?.firm)
  }
}

private struct Seat: Hashable, Sendable {
  struct Deep: Hashable, Sendable { var firm: Ref<Firm>? }
  var firm: Ref<Firm>?
  var partners = RefSet<Firm>()
  var deep = Deep()
}

private struct Branch: Entity, Hashable {
  let id: Int
  var seat = Seat()
  var store: Seat?
  static let schema = Schema<Branch> {
    Embedded(\.seat) {
      Relation(\.firm)
      Relation(\.partners)
      Embedded(\.deep) { Relation(\.firm) }
    }
    Embedded(\.store) {
      Relation(\.firm)
      Relation(\.partners)
      Embedded(\.deep) { Relation(\.firm) }
    }
  }
}

@Suite struct `Backlinks` {
  @Test func `backlinks to ids with one hash are distinguished when the ids have an order`() throws {
    try checkEqualHashes(OrderedID.self)
  }

  @Test func `backlinks to ids with one hash are distinguished without an order`() throws {
    try checkEqualHashes(PlainID.self)
  }

  private func checkEqualHashes<ID: CollidingID>(_: ID.Type) throws {
    typealias Place = Spot<ID>
    typealias Way = Trip<ID>
    func ref(_ number: Int) -> Ref<Place> { Ref(ID(number: number)) }
    func spot(_ number: Int) -> Place { Place(id: ID(number: number)) }
    let store = try Store(Spot<ID>.self, Trip<ID>.self)
    try store.write { tx in
      for number in 0..<6 { try tx.insert(spot(number)) }
      for number in 0..<12 {
        try tx.insert(
          Way(
            id: ID(number: number), start: ref(number % 6), goal: number < 3 ? ref(5) : ref(0),
            strict: number == 11 ? ref(1) : nil, stops: RefList((0...number % 3).map(ref))))
      }
    }
    func ids(_ results: Results<Way>) -> [ID] { results.map(\.id) }
    func numbers(_ numbers: [Int]) -> [ID] { numbers.map { ID(number: $0) } }
    var snapshot = store.snapshot()
    #expect(ids(snapshot.backlinks(to: spot(2), from: \Way.start)) == numbers([2, 8]))
    #expect(ids(snapshot.backlinks(to: spot(2), from: \Way.stops)) == numbers([2, 5, 8, 11]))
    #expect(ids(snapshot.backlinks(to: spot(4), from: \Way.stops)).isEmpty)
    #expect(try snapshot.breachOfTables() == nil)
    // Nullify takes only its own, cascade deletes only its own.
    try store.write { tx in
      try tx.delete(Place.self, ID(number: 5))
      try tx.delete(Place.self, ID(number: 2))
    }
    snapshot = store.snapshot()
    #expect(snapshot.count(Way.all) == 9)
    #expect(snapshot[Way.self, ID(number: 5)]?.start == nil)
    #expect(snapshot[Way.self, ID(number: 8)]?.start == nil)
    #expect(snapshot[Way.self, ID(number: 7)]?.start == ref(1))
    #expect(snapshot[Way.self, ID(number: 8)]?.stops == RefList([ref(0), ref(1)]))
    #expect(try snapshot.breachOfTables() == nil)
    let restricted = #expect(throws: StoreError.self) {
      try store.write { tx in _ = try tx.delete(Place.self, ID(number: 1)) }
    }
    #expect(restricted?.code == StoreError.deleteRestricted && restricted?.property == "strict")
    // A target that is not there, of the hash of one that is.
    let missing = #expect(throws: StoreError.self) {
      try store.write { tx in
        try tx.update(Way.self, ID(number: 7)) { $0.start = ref(99) }
      }
    }
    #expect(missing?.code == StoreError.missingLinkTarget && missing?.property == "start")
    // The same of another id than the one that was linked to is no return.
    let other = #expect(throws: StoreError.self) {
      try store.write { tx in
        try tx.delete(Place.self, ID(number: 1))
        try tx.insert(spot(7))
      }
    }
    #expect(other?.code == StoreError.deleteRestricted)
    try store.write { tx in
      try tx.delete(Place.self, ID(number: 1))
      try tx.insert(spot(1))
    }
    #expect(try store.snapshot().breachOfTables() == nil)
  }

  @Test func `backlinks into embedded values use the index of links, by whatever path`() throws {
    let store = try Store(Firm.self, Branch.self)
    try store.write { tx in
      for id in 0..<10 { try tx.insert(Firm(id: id)) }
      for id in 0..<200 {
        let seat = Seat(firm: Ref(id % 10), partners: [Ref(id % 5)], deep: Seat.Deep(firm: Ref(id % 2)))
        try tx.insert(Branch(id: id, seat: seat, store: id % 20 == 0 ? Seat(firm: 3) : nil))
      }
    }
    let snapshot = store.snapshot()
    func check(_ query: Query<Branch>, _ expected: [Int]) {
      #expect(snapshot.fetch(query).map(\.id) == expected)
      #expect(query.explain(in: snapshot).hasPrefix("links"), "\(query.explain(in: snapshot))")
    }
    check(Branch.linking(to: 3, by: \.seat.firm), Array(stride(from: 3, to: 200, by: 10)))
    check(Branch.linking(to: 9, by: \.seat.partners), [])
    check(Branch.linking(to: 5, by: \.seat.deep.firm), [])
    check(Branch.linking(to: 3, by: \.store?.firm), Array(stride(from: 0, to: 200, by: 20)))
    #expect(snapshot.backlinks(to: Firm(id: 1), from: \Branch.seat.deep.firm).count == 100)
  }

  @Test func `a filter for a whole list is no filter for its entries`() throws {
    let store = try makeSocialStore()
    try store.write { tx in
      for id in 1...3 { try tx.insert(Topic(id: id, name: "\(id)")) }
      for id in 0..<100 { try tx.insert(Article(id: id, title: "", topics: id == 50 ? [1, 2] : [3])) }
    }
    let snapshot = store.snapshot()
    #expect(snapshot.fetch(Article.where { $0.topics == [1, 2] }).map(\.id) == [50])
    #expect(snapshot.fetch(Article.where { $0.topics == [1] }).isEmpty)
    #expect(snapshot.fetch(Article.where { $0.topics.in([[1, 2], [2]]) }).map(\.id) == [50])
    #expect(snapshot.fetch(Article.where { $0.topics.contains(3) }).count == 99)
  }

  @Test(.timeLimit(.minutes(10)))
  func `observers of links, of their absence and of whole lists do not affect each other`() async throws {
    let store = try makeSocialStore()
    try await store.write { tx in
      for id in 1...3 { try tx.insert(Topic(id: id, name: "\(id)")) }
      try tx.insert(Writer(id: 1, name: "Ann"))
      for id in 0..<20 { try tx.insert(Article(id: id, title: "", author: 1, topics: [3])) }
    }
    let queries = [
      Article.linking(to: 1, by: \.author), Article.where { $0.author == nil },
      Article.where { $0.author == 1 },
      Article.linking(to: 3, by: \.topics), Article.where { $0.topics == [3] },
      Article.where { $0.topics == [] },
    ]
    for order in [queries, queries.reversed()] {
      let observers = order.map { _ in CheckedObserver<Article>() }
      let tokens = zip(order, observers).map { query, observer in
        store.observe(query) { observer.receive($0) }
      }
      try await store.settled()
      try await store.write { tx in
        try tx.update(Article.self, 4) { $0.author = nil }
        try tx.update(Article.self, 5) { $0.topics = [] }
        try tx.update(Article.self, 6) { $0.topics = [3, 3] }
      }
      try await store.write { tx in
        try tx.delete(Topic.self, 3)
        try tx.insert(Topic(id: 3, name: "3"))
        try tx.update(Article.where { $0.id != 5 }) {
          $0.topics = [3]
          $0.author = 1
        }
      }
      try await store.settled()
      for (query, observer) in zip(order, observers) {
        #expect(observer.rows == Array(store.snapshot().fetch(query)), "\(query)")
        #expect(observer.breaches == [], "\(query)")
      }
      tokens.forEach { $0.invalidate() }
    }
  }
}
