import Foundation
import LiveStore
import TestSupport
import Testing

private struct Member: Entity {
  let id: Int
  var team = ""
  var number: Int?
  var name = ""
  static let schema = Schema<Member> {
    \.name
    Property(\.team, \.number, .unique)
  }
}

/// Several properties that are unique together.
@Suite struct CompoundUniqueTests {
  @Test func `objects may agree in one of the properties, and in all where one is nil`() throws {
    let store = try Store(Member.self)
    try store.write { tx in
      try tx.insert(contentsOf: [
        Member(id: 1, team: "a", number: 1), Member(id: 2, team: "a", number: 2),
        Member(id: 3, team: "b", number: 1),
        Member(id: 4, team: "a"), Member(id: 5, team: "a"),
      ])
    }
    #expect(store.count(Member.all) == 5)
    let error = #expect(throws: StoreError.self) {
      try store.write { tx in try tx.insert(Member(id: 6, team: "a", number: 2)) }
    }
    #expect(error?.code == StoreError.uniqueViolation)
    #expect(error?.property == "(team, number)")
    #expect(error?.message.contains("both have (team, number) (\"a\", 2), which must be unique") == true)
    try store.write { tx in
      try tx.update(Member.self, 1) { $0.number = 2 }
      try tx.update(Member.self, 2) { $0.number = 1 }
    }
    #expect(store.fetch(Member.where { $0.team == "a" && $0.number == 1 }).map(\.id) == [2])
  }
}

private struct TwiceInIndex: Entity {
  let id: Int
  var a = 0
  static let schema = Schema<TwiceInIndex> { Property(\.a, \.a, .indexed) }
}

private struct IgnoredInIndex: Entity {
  let id: Int
  var a = 0
  var b = 0
  static let schema = Schema<IgnoredInIndex> {
    Ignored(\.b)
    Property(\.a, \.b, .indexed)
  }
}

private struct SearchedTogether: Entity {
  let id: Int
  var a = ""
  var b = ""
  static let schema = Schema<SearchedTogether> { Property(\.a, \.b, .searchable) }
}

private struct ListedTwice: Entity {
  let id: Int
  var a = 0
  var b = 0
  static let schema = Schema<ListedTwice> {
    Property(\.a, \.b, .indexed)
    Property(\.a, \.b, .unique)
  }
}

private struct NotEvenHashable: Equatable, Sendable { var value = 0 }

private struct WithoutOrder: Entity {
  let id: Int
  var a = 0
  var key = NotEvenHashable()
  static let schema = Schema<WithoutOrder> { Property(\.a, \.key, .indexed) }
}

private struct WithID: Entity {
  let id: Int
  var a = 0
  static let schema = Schema<WithID> { Property(\.a, \.id, .indexed) }
}

private struct Renamed: Entity {
  let id: Int
  var a = 0
  var b = 0
  static let schema = Schema<Renamed> {
    Property(\.a, \.b, .indexed)
    Property(\.a, "first")
    Property(\.b, \.a, .indexed)
  }
}

@Suite struct `Mistakes in an index over several properties` {
  private func message(_ make: () throws(StoreError) -> Store) throws -> String {
    let error = try #require(throws: StoreError.self) { _ = try make() }
    #expect(error.code == StoreError.invalidSchema)
    return error.message
  }

  @Test func `what cannot be an index is named`() throws {
    #expect(
      try message { () throws(StoreError) in try Store(TwiceInIndex.self) }.contains(
        "(a, a) that names a twice"))
    #expect(
      try message { () throws(StoreError) in try Store(IgnoredInIndex.self) }
        .contains("(a, b) that names b, which the schema ignores"))
    #expect(
      try message { () throws(StoreError) in try Store(SearchedTogether.self) }
        .contains("(a, b) with .searchable, which is for single properties"))
    #expect(
      try message { () throws(StoreError) in try Store(ListedTwice.self) }.contains(
        "lists the index of (a, b) twice"))
    #expect(
      try message { () throws(StoreError) in try Store(WithoutOrder.self) }.contains(
        "neither Comparable nor Hashable"))
    #expect(try message { () throws(StoreError) in try Store(WithID.self) }.contains("id"))
  }

  @Test func `a property may have a line of its own and be in several indexes`() throws {
    let store = try Store(Renamed.self)
    try store.write { tx in try tx.insert(contentsOf: (0..<100).map { Renamed(id: $0, a: $0 % 7, b: $0 % 5) })
    }
    let snapshot = store.snapshot()
    #expect(
      Renamed.where { $0.a == 3 }.sorted(by: \.b).limit(2).explain(in: snapshot).hasPrefix(
        "index Renamed.(first, b)"))
    #expect(
      Renamed.where { $0.b == 3 }.sorted(by: \.a).limit(2).explain(in: snapshot).hasPrefix(
        "index Renamed.(b, first)"))
    let properties = store.snapshot().state.catalog.entities[0].properties.map(\.name)
    #expect(properties == ["b", "first"] || properties == ["first", "b"])
  }
}
