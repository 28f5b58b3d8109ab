import Foundation
import LiveStore
import TestSupport
import Testing

private struct Dwelling: Codable, Equatable, Sendable {
  enum Kind: String, Codable, Sendable { case flat, house }
  struct Street: Codable, Equatable, Sendable { var name: String, number: Int }
  var city: String?
  var zip = 0
  var kind = Kind.flat
  var street = Street(name: "", number: 0)
}

private struct Guest: Entity, Equatable {
  enum Status: String, Codable, Sendable, Comparable {
    case coming, gone
    static func < (lhs: Status, rhs: Status) -> Bool { lhs.rawValue < rhs.rawValue }
  }
  let id: Int
  var name = ""
  var home = Dwelling()
  var office: Dwelling?
  var status = Status.coming
  var before: Status?
  var note = 0
  var doubled: Int { home.zip * 2 }
  static let schema = Schema<Guest> {
    \.name
    \.home
    Property(\.home.zip, .indexed)
    \.office
    Property(\.status, .indexed)
    \.before
    Ignored(\.note)
  }
}

private struct Tray: Entity {
  let id: Int
  var numbers: [Int] = []
  var limit = 0
  static let schema = Schema<Tray> {
    \.numbers
    \.limit
  }
}

@Suite struct PredicateReadingTests {
  /// Bug: the elements' condition was taken for one on the row of the other query.
  @Test func `a predicate that is read in the closure of another query is one of its own row`() throws {
    let store = try Store(Tray.self)
    try store.write { tx in
      for id in 0..<6 { try tx.insert(Tray(id: id, numbers: [id, id + 1], limit: id % 3)) }
    }
    let predicate = #Predicate<Tray> { tray in
      tray.numbers.contains { number in number > 4 && tray.limit > 0 }
    }
    var inner: [Query<Tray>] = []
    let outer = Tray.where { tray in
      inner.append(Tray.where(predicate))
      return tray.numbers.contains { number in
        inner.append(Tray.where(predicate))
        return number == 2
      }
    }
    #expect(store.fetch(outer).map(\.id) == [1, 2])
    #expect(inner.count == 2)
    for query in inner {
      #expect(store.fetch(query).map(\.id) == store.fetch(Tray.where(predicate)).map(\.id))
    }
    #expect(store.fetch(Tray.where(predicate)).map(\.id) == [4, 5])
  }

  private static let guests = (0..<60).map { id in
    var guest = Guest(id: id, name: "guest \(id % 7)", status: id % 5 == 0 ? .gone : .coming, note: id % 2)
    guest.home = Dwelling(city: id % 3 == 0 ? nil : "city \(id % 4)", zip: id % 10)
    guest.home.kind = id % 6 == 0 ? .house : .flat
    guest.home.street.number = id % 8
    guest.office = id % 2 == 0 ? guest.home : nil
    guest.before = id % 4 == 0 ? nil : .gone
    return guest
  }

  private func snapshot() async throws -> Snapshot {
    let store = try Store(Guest.self)
    try await store.write { tx in try tx.insert(contentsOf: Self.guests) }
    return store.snapshot()
  }

  private func expected(_ predicate: Predicate<Guest>) -> [Int] {
    Self.guests.filter { (try? predicate.evaluate($0)) == true }.map(\.id)
  }

  private static let read: [(Predicate<Guest>, Query<Guest>)] = {
    let (gone, none) = (Guest.Status.gone, Guest.Status?.none)
    return [
      (#Predicate<Guest> { $0.home.zip == 3 }, Guest.where { $0.home.zip == 3 }),
      (#Predicate<Guest> { $0.home.street.number >= 3 }, Guest.where { $0.home.street.number >= 3 }),
      (#Predicate<Guest> { $0.home.city == "city 1" }, Guest.where { $0.home.city == "city 1" }),
      (#Predicate<Guest> { $0.home.city == nil }, Guest.where { $0.home.city == nil }),
      (#Predicate<Guest> { $0.office?.city == "city 1" }, Guest.where { $0.office.city == "city 1" }),
      (#Predicate<Guest> { $0.office?.city == nil }, Guest.where { $0.office.city == nil }),
      (#Predicate<Guest> { $0.office?.zip == 4 }, Guest.where { $0.office.zip == 4 }),
      (#Predicate<Guest> { $0.office!.zip > 4 }, Guest.where { $0.office.zip > 4 }),
      (#Predicate<Guest> { $0.office?.street.number == 4 }, Guest.where { $0.office.street.number == 4 }),
      (#Predicate<Guest> { $0.office == nil }, Guest.where { $0.office == nil }),
      (#Predicate<Guest> { $0.doubled > 10 }, Guest.where { $0.doubled > 10 }),
      (
        #Predicate<Guest> { $0.office?.city?.contains("1") == true },
        Guest.where { $0.office.city.contains("1") }
      ),
      (#Predicate<Guest> { $0.office?.city?.count == 6 }, Guest.where { $0.office.city.count == 6 }),
      (#Predicate<Guest> { $0.status == gone }, Guest.where { $0.status == .gone }),
      (#Predicate<Guest> { $0.status < gone }, Guest.where { $0.status < .gone }),
      (#Predicate<Guest> { $0.before == gone }, Guest.where { $0.before == .gone }),
      (#Predicate<Guest> { $0.before == none }, Guest.where { $0.before == nil }),
      (#Predicate<Guest> { $0.before! == gone }, Guest.where { $0.before == .gone }),
      (#Predicate<Guest> { [gone].contains($0.status) }, Guest.where { $0.status.in([.gone]) }),
    ]
  }()

  @Test func `members of nested values are read along their path, and users' types compared as in Swift`()
    async throws
  {
    let snapshot = try await snapshot()
    for (predicate, typed) in Self.read {
      let query = Guest.where(predicate)
      #expect(query == typed)
      #expect(snapshot.fetch(query).map(\.id) == expected(predicate), "\(query)")
    }
    #expect(Self.read[0].1.explain(in: snapshot).hasPrefix("index Guest.home.zip"))
  }

  /// Bug: behind a `!`, what was nil was found nil where the `!` throws.
  @Test func `a chain of optionals behind one that is unwrapped selects no row for which that throws`()
    async throws
  {
    let snapshot = try await snapshot()
    for predicate in [
      #Predicate<Guest> { $0.office!.city?.contains("1") ?? true },
      #Predicate<Guest> { !($0.office!.city?.contains("1") ?? false) },
      #Predicate<Guest> { $0.office!.city?.contains("1") != true },
      #Predicate<Guest> { $0.office?.city?.contains("1") ?? true },
    ] {
      let query = Guest.where(predicate)
      #expect(snapshot.fetch(query).map(\.id) == expected(predicate), "\(query)")
    }
  }

  @Test func `what the schema does not know is evaluated, and nothing is missed`() async throws {
    let snapshot = try await snapshot()
    let (house, gone) = (Dwelling.Kind.house, Guest.Status.gone)
    let predicates: [Predicate<Guest>] = [
      #Predicate<Guest> { $0.note == 1 },
      #Predicate<Guest> { $0.home.kind == house },
      #Predicate<Guest> { !($0.home.kind == house) && $0.home.zip > 4 },
      #Predicate<Guest> { $0.before! <= gone },
      #Predicate<Guest> { !($0.office!.kind == house) },
      #Predicate<Guest> { guest in guest.office.flatMap { $0.city == nil } == true },
      #Predicate<Guest> { guest in guest.office.flatMap { $0.city == nil } ?? true },
      #Predicate<Guest> { guest in guest.office.flatMap { $0.city != nil } == false },
      #Predicate<Guest> { guest in guest.office.flatMap { _ in guest.home.zip > 3 } == true },
      #Predicate<Guest> { guest in guest.office.flatMap { _ in guest.home.city } == nil },
      .true, .false,
    ]
    for predicate in predicates {
      #expect(
        snapshot.fetch(Guest.where(predicate)).map(\.id) == expected(predicate), "\(Guest.where(predicate))")
    }
    #expect(Guest.where(.true) == Guest.all)
  }

  @Test func `the parts of a predicate that can be read select candidates for the others`() async throws {
    let snapshot = try await snapshot()
    let predicate = #Predicate<Guest> { $0.name < "guest 5" && $0.home.zip == 3 }
    #expect(Guest.where(predicate).explain(in: snapshot).hasPrefix("index Guest.home.zip: 6 of 60"))
    let alternatives = #Predicate<Guest> {
      $0.home.zip == 3 && $0.name < "guest 5" || $0.home.zip == 4 && $0.name > "guest 2"
    }
    let query = Guest.where(alternatives)
    #expect(query.explain(in: snapshot).hasPrefix("index Guest.home.zip: 12 of 60"))
    #expect(snapshot.fetch(query).map(\.id) == expected(alternatives))
    // A part that cannot be read among alternatives leaves no bound.
    let open = #Predicate<Guest> { $0.home.zip == 3 || $0.name < "guest 5" }
    #expect(Guest.where(open).explain(in: snapshot).hasPrefix("scan"))
  }

  @Test func `queries of one predicate are equal, and share one live result`() async throws {
    let store = try Store(Guest.self)
    let predicate = #Predicate<Guest> { $0.name < "guest 5" && $0.home.zip > 3 }
    let other = #Predicate<Guest> { $0.name < "guest 5" && $0.home.zip > 3 }
    #expect(Guest.where(predicate) == Guest.where(predicate))
    #expect(Guest.where(predicate).hashValue == Guest.where(predicate).hashValue)
    #expect(Guest.where(predicate) != Guest.where(other))
    #expect(Filter<Guest>(predicate) == Filter(predicate))
    let tokens = [Guest.where(predicate), Guest.where(predicate)].map { store.observe($0) { _ in } }
    try await store.settled()
    #expect(store.metrics.liveQueries == 1)
    tokens.forEach { $0.invalidate() }
  }

  @Test func `commits are routed to predicates as to filters in Swift`() async throws {
    let store = try Store(Guest.self)
    let tokens = (0..<50).map { zip in
      store.observe(Guest.where(#Predicate<Guest> { $0.home.zip == zip })) { _ in }
    }
    let query = Guest.where(#Predicate<Guest> { $0.home.zip == 1000 && $0.name < "b" })
    let partly = store.observe(query) { _ in }
    try await store.settled()
    #expect(store.metrics.liveQueries == 51)
    var guest = Guest(id: 1)
    guest.home.zip = 7
    let inserted = guest
    try await store.write { tx in try tx.insert(inserted) }
    try await store.settled()
    #expect(store.metrics.unroutedQueries == 0)
    #expect(store.metrics.updates == 1)
    (tokens + [partly]).forEach { $0.invalidate() }
  }

  @Test func `an object for which a predicate throws is not selected, and that is no error`() async throws {
    let store = try Store(Guest.self)
    try await store.write { tx in try tx.insert(contentsOf: Self.guests) }
    let predicates: [Predicate<Guest>] = [
      #Predicate<Guest> { $0.office!.zip > 4 },
      #Predicate<Guest> { $0.office!.city! < "city 2" },
    ]
    for predicate in predicates {
      let results = store.fetch(Guest.where(predicate))
      #expect(results.error == nil)
      #expect(results.map(\.id) == expected(predicate) && !results.isEmpty)
    }
  }

  @Test func `bounds in the wrong order select nothing`() async throws {
    let snapshot = try await snapshot()
    let (low, high) = (1, 9)
    #expect(snapshot.fetch(Guest.where(#Predicate<Guest> { (high...low).contains($0.home.zip) })).isEmpty)
    #expect(snapshot.fetch(Guest.where(#Predicate<Guest> { (high..<low).contains($0.home.zip) })).isEmpty)
    #expect(snapshot.fetch(Guest.where(#Predicate<Guest> { !(high...low).contains($0.home.zip) })).isEmpty)
  }

  @Test func `a filter that is made of a predicate is joined with others`() async throws {
    let snapshot = try await snapshot()
    let high = Filter(#Predicate<Guest> { $0.home.zip > 4 })
    let early = Filter(#Predicate<Guest> { $0.name < "guest 3" })
    let ids = snapshot.fetch(Guest.where(high && !early)).map(\.id)
    #expect(ids == Self.guests.filter { $0.home.zip > 4 && !($0.name < "guest 3") }.map(\.id))
  }
}
