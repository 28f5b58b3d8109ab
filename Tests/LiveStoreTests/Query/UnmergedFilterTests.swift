import LiveStore
import TestSupport
import Testing

/// Conditions that only seem to say the same, or to contradict each other.
@Suite struct UnmergedFilterTests {
  /// Equal within a distance, so one value may equal two that differ.
  private struct Near: Equatable, Sendable {
    var place = 0
    static func == (lhs: Near, rhs: Near) -> Bool { abs(lhs.place - rhs.place) <= 1 }
  }

  /// One case equals every other.
  private enum Wish: CaseIterable, Hashable, Sendable {
    case tea, coffee, any
    static func == (lhs: Wish, rhs: Wish) -> Bool {
      String(reflecting: lhs) == String(reflecting: rhs) || "\(lhs)" == "any" || "\(rhs)" == "any"
    }
    func hash(into hasher: inout Hasher) {}
  }

  private struct Place: Entity {
    var id = 0
    var real: Double?
    var near = Near()
    var wish = Wish.tea
    var value = InconsistentValue(number: 0)
    static let schema = Schema<Place> {
      \.real
      \.near
      \.wish
      \.value
    }
  }

  private func ids(_ places: [Place], _ condition: (Row<Place>) -> Expr<Bool>) throws -> [Int] {
    let store = try Store(Place.self)
    try store.write { tx in try tx.insert(contentsOf: places) }
    return store.fetch(Place.where(condition)).map(\.id)
  }

  @Test func `NaN is in no list and within no bounds, and every value differs from it`() throws {
    let (nan, places) = (Double.nan, [Place(id: 1, real: .nan), Place(id: 2, real: 1), Place(id: 3)])
    #expect(try ids(places) { $0.real == nan || $0.real == nil } == [3])
    #expect(try ids(places) { $0.real == nan || $0.real == 1 } == [2])
    #expect(try ids(places) { $0.real != nan && $0.real != nil } == [1, 2])
    #expect(try ids(places) { $0.real <= nan && $0.real >= 0 } == [])
    #expect(try ids(places) { $0.real == 1 && $0.real != nan } == [2])
    #expect(try ids(places) { $0.real != nan || $0.real != 1 } == [1, 2, 3])
    #expect(try ids(places) { $0.real.in([nan, 1, nil]) && $0.real.in([nan, 1]) } == [2])
  }

  @Test func `nil is within no bounds, and differs from every value`() throws {
    let places = [Place(id: 1), Place(id: 2, real: 1), Place(id: 3, real: 2)]
    #expect(try ids(places) { $0.real.in([nil, 1]) && $0.real < 5 } == [2])
    #expect(try ids(places) { $0.real != 1 && $0.real != 2 } == [1])
    #expect(try ids(places) { $0.real == nil || $0.real != 1 } == [1, 3])
  }

  private struct Body: DynamicEntity {
    let id: Int
    let body: JSONValue
    static let schema = Schema<Body>(dynamic: { $0.body[path: $1] })
  }

  @Test func `a value of JSON is within bounds of its own type alone`() throws {
    let store = try Store(Body.self)
    let values: [JSONValue] = [1, 5, 5.5, "a", "z", true, .null]
    try store.write { tx in
      for (id, value) in values.enumerated() { try tx.insert(Body(id: id, body: ["a": value])) }
    }
    let cases: [(String, [Int])] = [
      ("a IN {5, 'z', 1} AND a > 3", [1]), ("a == 'z' AND a > 3", []),
      ("(a == 5 OR a == 'z') AND a > 'b'", [4]),
      ("a == NULL AND a < 3", []), ("a IN {1, 5.0, true} AND a != 1 AND a != 'a'", [1, 5]),
      ("a != NULL AND NOT a IN {1, 5}", [2, 3, 4, 5]),
    ]
    for (text, ids) in cases {
      #expect(try store.fetch(Body.where(format: text)).map(\.id) == ids, "\(text)")
    }
  }

  @Test func `values of users' types may equal two that differ`() throws {
    let places = (0..<6).map { Place(id: $0, near: Near(place: $0)) }
    let (one, two, three) = (Near(place: 1), Near(place: 2), Near(place: 3))
    #expect(try ids(places) { $0.near == one && $0.near == three } == [2])
    #expect(try ids(places) { $0.near == two || $0.near == three } == [1, 2, 3, 4])
    #expect(try ids(places) { $0.near == two && $0.near != three } == [1])
    #expect(try ids(places) { $0.near.in([two, three]) && $0.near == one } == [1, 2])
    #expect(try ids(places) { $0.near != two || $0.near != three } == [0, 1, 4, 5])
    #expect(try ids(places) { row in !(row.near == one) && !(row.near == two) } == [4, 5])
  }

  @Test func `cases of an enumeration are merged if they equal themselves alone`() throws {
    let places = [Place(id: 1), Place(id: 2, wish: .coffee), Place(id: 3, wish: .any)]
    #expect(try ids(places) { $0.wish == .tea && $0.wish == .coffee } == [3])
    #expect(try ids(places) { $0.wish == .tea || $0.wish == .any } == [1, 2, 3])
    #expect(try ids(places) { $0.wish.in([.tea]) && $0.wish != .coffee } == [1])
  }

  @Test(arguments: [Inconsistency.equalOneWay, .hashedApart, .equalToNone])
  func `alternatives of inconsistent values pass the rows that each of them does`(
    _ inconsistency: Inconsistency
  ) throws {
    let places = (0..<12).map { id in
      Place(
        id: id,
        value: InconsistentValue(number: id, inconsistency: id % 2 == 0 ? inconsistency : nil, salt: id))
    }
    for count in [2, 8, 9] {
      let values = (0..<count).map { InconsistentValue(number: $0, salt: -1) }
      let found = try ids(places) { row in
        values.dropFirst().reduce(row.value == values[0]) { $0 || row.value == $1 }
      }
      #expect(found == places.filter { place in values.contains { place.value == $0 } }.map(\.id))
    }
  }

  @Test func `closures keep their order, and are given the rows that pass the expressions`() throws {
    let (first, second) = (Place.filter { $0.id > 1 }, Place.filter { $0.id > 2 })
    #expect(first.where { $0.id > 3 }.where { $0.id < 9 } == first.where { $0.id < 9 }.where { $0.id > 3 })
    #expect(first != second && first.where(.nothing) == second.where(.nothing))
    let given = Recorder<Int>()
    let query = Place.filter { place in
      given.append(place.id)
      return true
    }
    let store = try Store(Place.self)
    try store.write { tx in try tx.insert(contentsOf: (0..<6).map { Place(id: $0) }) }
    #expect(store.fetch(query.where { $0.id != 3 && $0.id != 4 }).map(\.id) == [0, 1, 2, 5])
    #expect(given.events == [0, 1, 2, 5])
  }
}
