import Foundation
import LiveStore
import TestSupport
import Testing

/// A person whose friends are persons too.
private struct Person: Entity {
  var id = 0, age = 0, limit: Int?, name = ""
  var boss: Ref<Person>?
  var friends = RefList<Person>()
  var pets = RefList<Pet>()
  var scores: [Int] = []
  var scratch = 0
  static let schema = Schema<Person> {
    \.age
    \.limit
    \.name
    Relation(\.boss)
    Relation(\.friends)
    Relation(\.pets)
    \.scores
    Ignored(\.scratch)
    Inverse("staff", of: \Person.boss)
  }
}

private struct Pet: Entity {
  var id = 0, weight = 0, name = ""
  var keeper: Ref<Person>?
  static let schema = Schema<Pet> {
    \.weight
    \.name
    Relation(\.keeper)
  }
}

@Suite("Conditions on linked objects that read the rows around them") struct OuterRowTests {
  private func store() throws -> Store {
    let store = try Store(Person.self, Pet.self)
    try store.write { tx in
      try tx.insert(contentsOf: [
        Pet(id: 1, weight: 4, name: "Rex", keeper: 1), Pet(id: 2, weight: 9, name: "Ann", keeper: 3),
        Pet(id: 3, weight: 20, name: "Ox"),
      ])
      try tx.insert(contentsOf: [
        Person(
          id: 1, age: 30, limit: 5, name: "Ann", boss: 3, friends: [2, 3], pets: [1, 2], scores: [29, 30]),
        Person(id: 2, age: 20, name: "Bob", boss: 1, friends: [3], pets: [3], scores: [21]),
        Person(id: 3, age: 50, limit: 30, name: "Cyd", friends: [1, 2, 3], pets: [2, 3]),
        Person(id: 4, age: 10, limit: 0, name: "Dot", boss: 2),
      ])
    }
    return store
  }

  private static let filters: [(text: String, typed: Query<Person>, ids: [Int])] = [
    (
      "SUBQUERY(friends, $f, $f.age > age).@count > 0",
      Person.where { row in row.friends.contains { $0.age > row.age } }, [1, 2]
    ),
    (
      "NOT SUBQUERY(friends, $f, NOT $f.age > age).@count > 0",
      Person.where { row in row.friends.allSatisfy { $0.age > row.age } }, [2, 4]
    ),
    (
      "SUBQUERY(friends, $f, $f.age < 30 AND age > 30).@count > 0",
      Person.where { row in row.friends.contains { $0.age < 30 && row.age > 30 } }, [3]
    ),
    (
      "SUBQUERY(pets, $p, $p.weight > limit).@count > 0",
      Person.where { row in row.pets.contains { $0.weight > row.limit } }, [1]
    ),
    (
      "SUBQUERY(pets, $p, $p.keeper == SELF).@count > 0",
      Person.where { row in row.pets.contains { $0.keeper == row } }, [1, 3]
    ),
    (
      "SUBQUERY(staff, $s, SUBQUERY($s.pets, $p, $p.name == name OR $p.name == $s.name).@count > 0).@count > 0",
      Person.where { row in
        row.linking(\Person.boss).contains { other in
          other.pets.contains { $0.name == row.name || $0.name == other.name }
        }
      }, [3]
    ),
    (
      "SUBQUERY(scores, $s, $s < age).@count > 0",
      Person.where { row in row.scores.contains { $0 < row.age } }, [1]
    ),
    (
      "SUBQUERY(friends, $f, $f.boss == SELF).@count > 0",
      Person.where { row in row.friends.contains { $0.boss == row } }, [1, 3]
    ),
    (
      "SUBQUERY(friends, $f, $f.age - age > 15).@count == 1",
      Person.where { row in row.friends.where { $0.age - row.age > 15 }.count == 1 }, [1, 2]
    ),
    (
      "SUBQUERY(friends, $f, SUBQUERY($f.pets, $p, $p.weight > $f.limit).@count > 0).@count > 0",
      Person.where { row in
        row.friends.contains { friend in friend.pets.contains { $0.weight > friend.limit } }
      },
      [3]
    ),
    (
      "SUBQUERY(friends, $f, $f.age > boss.age).@count > 0",
      Person.where { row in row.friends.contains { $0.age > row.boss.age } }, [2]
    ),
  ]

  @Test(arguments: filters.indices)
  func `a condition on linked objects reads the row around them, also one of the same type`(index: Int) throws
  {
    let (text, typed, ids) = Self.filters[index]
    let store = try store()
    #expect(Array(store.fetch(typed).ids) == ids)
    let parsed = try Person.where(format: text)
    #expect(Array(store.fetch(parsed).ids) == ids)
    #expect(parsed == typed)
    #expect(try Person.query(format: #require(typed.format)) == typed, "\(typed)")
  }

  @Test func `a filter that reads the row around is printed as the text that it is read from`() {
    #expect(
      Filter<Person> { row in row.friends.contains { $0.age > row.age } }.format
        == "SUBQUERY(friends, $x, ($x.age > age)).@count > 0")
    #expect(
      Filter<Person> { row in
        row.friends.contains { friend in friend.pets.contains { $0.name == friend.name && $0.keeper == row } }
      }.format
        == "SUBQUERY(friends, $x, (SUBQUERY($x.pets, $y, (($y.name == $x.name) AND ($y.keeper == SELF))).@count > 0)).@count > 0"
    )
  }

  @Test func `a condition that was made before the closure in which it stands keeps its row`() throws {
    let store = try store()
    let query = Person.where { row in
      let isOld = row.age > 30
      let hasOlder = row.friends.contains { $0.age > row.age }
      return row.pets.contains { (isOld || hasOlder) && $0.weight > 8 }
    }
    #expect(Array(store.fetch(query).ids) == [1, 2, 3])
    let counted = Person.where { row in
      let older = row.friends.where { $0.age > row.age }
      return row.pets.contains { $0.weight > older.count && older.contains { $0.id == row.boss.id } }
    }
    #expect(Array(store.fetch(counted).ids) == [1])
  }

  @Test func `a filter that was made elsewhere tests linked objects as a closure does`() {
    let old = Filter<Person> { $0.age > 40 }
    #expect(
      Person.where { $0.friends.objects.contains(old) }
        == Person.where { $0.friends.contains { $0.age > 40 } })
    #expect(
      Person.where { $0.friends.objects.allSatisfy(old) }
        == Person.where { $0.friends.allSatisfy { $0.age > 40 } })
    #expect(
      Person.where { $0.friends.objects.where(old).count > 1 }
        == Person.where { $0.friends.where { $0.age > 40 }.count > 1 })
  }

  @Test func `bounds of two rows of one type are two conditions`() throws {
    let store = try store()
    let query = Person.where { row in row.friends.contains { row.age > 25 && $0.age < 25 } }
    #expect(Array(store.fetch(query).ids) == [1, 3])
  }

  /// What a commit changes: the row, a linked object, what the row links to, and the links.
  private static let edits: [@Sendable (borrowing WriteTransaction) throws -> Void] = [
    { tx in try tx.update(Person.self, 1) { $0.age = 60 } },
    { tx in try tx.update(Person.self, 3) { $0.age = 70 } },
    { tx in try tx.update(Person.self, 1) { $0.limit = 100 } },
    { tx in try tx.update(Pet.self, 3) { $0.weight = 1 } },
    { tx in try tx.update(Person.self, 2) { $0.limit = 0 } },
    { tx in try tx.update(Pet.self, 2) { $0.keeper = 1 } },
    { tx in try tx.update(Pet.self, 2) { $0.name = "Cyd" } },
    { tx in try tx.update(Person.self, 3) { $0.name = "Rex" } },
    { tx in try tx.update(Person.self, 2) { $0.friends = [4, 1] } },
    { tx in try tx.update(Person.self, 2) { $0.boss = 4 } },
    { tx in _ = try tx.delete(Person.self, 3) },
    { tx in try tx.update(Person.self, 1) { $0.scores = [100] } },
    { tx in try tx.update(Person.self, 4) { $0.age = 0 } },
  ]

  @Test func `a live query follows the row, the linked objects, and what both read over links`() async throws
  {
    let store = try store()
    var latest: [Recorder<[Int]>] = []
    var tokens: [NotificationToken] = []
    for filter in Self.filters {
      let recorder = Recorder<[Int]>()
      tokens.append(
        store.observe(filter.typed) { change in
          if let results = change.results { recorder.append(results.map(\.id)) }
        })
      latest.append(recorder)
    }
    for (number, edit) in Self.edits.enumerated() {
      try await store.write { tx in try edit(tx) }
      try await store.settled()
      for (filter, recorder) in zip(Self.filters, latest) {
        // A query that is made from a closure shares nothing with the live one.
        let everyone = Set(store.fetch(filter.typed.filter { _ in true }).map(\.id))
        #expect(Set(recorder.events.last ?? []) == everyone, "after edit \(number): \(filter.text)")
      }
    }
    tokens.forEach { $0.invalidate() }
  }

  @Test
  func `a change of a value that the condition reads is no change of the row if the answer is the same`()
    async throws
  {
    let store = try store()
    let recorder = Recorder<Int>()
    let token = store.observe(Person.where { row in row.friends.contains { $0.age > row.boss.age } }) {
      change in
      if case .update(_, let changes) = change { recorder.append(changes.modifications.count) }
    }
    try await store.settled()
    try await store.write { tx in try tx.update(Person.self, 1) { $0.age = 31 } }
    try await store.settled()
    #expect(recorder.events.isEmpty)
    token.invalidate()
  }

  @Test
  func `an observed query whose condition reads an ignored property of the row around ends with an error`()
    async throws
  {
    let store = try store()
    let query = Person.where { row in row.friends.contains { $0.age > row.scratch } }
    var failures = 0
    for await change in store.changes(of: query) { if case .error = change { failures += 1 } }
    #expect(failures == 1)
  }

  #if DEBUG
    @Test func `a filter that names the row of another query ends a debug build with a sentence`() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = Person.where { row in
          _ = Person.where { $0.age > row.age }
          return row.age > 0
        }
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("names the row of another query"))
    }
  #endif

  @Test func `a property of the variable that is named without it is suggested with it`() throws {
    let error = #expect(throws: StoreError.self) {
      try Person.where(format: "SUBQUERY(pets, $p, weight > 3).@count > 0")
    }
    #expect("\(try #require(error))".contains("Person has no property weight (did you mean $p.weight?)"))
    #expect(error?.column == 20)
  }

  @Test func `documents read the row around in a subquery, too`() throws {
    struct Body: DynamicEntity {
      let id: Int
      let body: JSONValue
      static let schema = Schema<Body>(dynamic: { $0.body[path: $1] })
    }
    let store = try Store(Body.self)
    try store.write { tx in
      try tx.insert(Body(id: 1, body: ["limit": 3, "items": [["price": 2], ["price": 5]]]))
      try tx.insert(Body(id: 2, body: ["limit": 9, "items": [["price": 2], ["price": 5]]]))
      try tx.insert(Body(id: 3, body: ["limit": 1, "items": []]))
    }
    let query = try Body.where(format: "SUBQUERY(items, $i, $i.price > limit).@count > 0")
    #expect(Array(store.fetch(query).ids) == [1])
    #expect(try Body.query(format: #require(query.format)) == query)
    let nested = try Body.where(
      format:
        "SUBQUERY(items, $i, SUBQUERY(items, $j, $j.price > $i.price AND limit < 5).@count > 0).@count == 1")
    #expect(Array(store.fetch(nested).ids) == [1])
    #expect(try Body.query(format: #require(nested.format)) == nested)
  }
}
