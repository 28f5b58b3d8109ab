import Foundation
import LiveStore
import Testing

/// All objects of a store, encoded and decoded and inserted into another.
@Suite struct `Saved objects` {
  @Test func `saved objects have their values, links, order and ignored properties in another store`() throws
  {
    let store = try Store(Shelf.self, Volume.self)
    try store.write { tx in
      // Each links to what comes later.
      try tx.insert(Shelf(id: 2, name: "two", first: "b", volumes: ["b", "a", "b"]))
      try tx.insert(
        Volume(
          id: "b", title: "B", next: "a", related: ["a"], marks: ["front": "a"], place: .init(shelf: 2),
          status: .lent, price: 1.5, rating: nil, page: 7))
      try tx.insert(Volume(id: "a", title: "A", place: .init(shelf: 1), rating: -0.0))
      try tx.insert(Shelf(id: 1, name: "one", first: nil))
      try tx.update(Volume.self, "b") { $0.title = "é" }
    }
    let copy = try Store(Shelf.self, Volume.self)
    try load(Self.encoded(store), into: copy)
    #expect(Array(copy.fetch(Shelf.all)) == Array(store.fetch(Shelf.all)))
    #expect(Array(copy.fetch(Volume.all)) == Array(store.fetch(Volume.all)))
    #expect(copy.fetch(Volume.all).map(\.page) == [7, 0])
    #expect(copy.fetch(Volume.where { $0.place.shelf.name == "two" }).map(\.id) == ["b"])
    let volume = try #require(copy[Volume.self, "a"])
    #expect(copy.snapshot().backlinks(to: volume, from: \Shelf.volumes).map(\.id) == [2])
    #expect(try Self.encoded(copy) == Self.encoded(store))
    try copy.write { tx in _ = try tx.delete(Volume.self, "a") }
    #expect(copy[Shelf.self, 2]?.volumes.ids == ["b", "b"])
  }

  @Test func `saved objects that link to unsaved ones are refused, and none of them is kept`() throws {
    let store = try Store(Shelf.self, Volume.self)
    let saved = Saved(
      shelves: [Shelf(id: 1, name: "one", first: "a")], volumes: [Volume(id: "b", place: .init(shelf: 1))])
    let error = #expect(throws: StoreError.self) { try load(JSONEncoder().encode(saved), into: store) }
    #expect(error?.code == StoreError.missingLinkTarget && error?.message.contains("a") == true)
    #expect(store.version.number == 0 && store.count(Shelf.all) == 0)
  }

  private static func encoded(_ store: Store) throws -> Data {
    let snapshot = store.snapshot()
    let saved = Saved(
      shelves: Array(snapshot.fetch(Shelf.all)), volumes: Array(snapshot.fetch(Volume.all)))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(saved)
  }

  private func load(_ data: Data, into store: Store) throws {
    let saved = try JSONDecoder().decode(Saved.self, from: data)
    try store.write { tx in
      try tx.insert(contentsOf: saved.shelves)
      try tx.insert(contentsOf: saved.volumes)
    }
  }
}

private struct Saved: Codable {
  var shelves: [Shelf]
  var volumes: [Volume]
}

private struct Shelf: Entity, Hashable, Codable {
  let id: Int
  var name: String
  var first: Ref<Volume>?
  var volumes = RefList<Volume>()

  static let schema = Schema<Shelf> {
    Property(\.name, .unique)
    Relation(\.first)
    Relation(\.volumes)
  }
}

private struct Volume: Entity, Hashable, Codable {
  struct Place: Hashable, Codable {
    var shelf: Ref<Shelf>
  }

  enum Status: String, Codable, CaseIterable { case here, lent }

  let id: String
  var title = ""
  var next: Ref<Volume>?
  var related = RefSet<Volume>()
  var marks = RefMap<Volume>()
  var place: Place
  var status = Status.here
  var price: Double?
  var rating: Double?
  /// Ignored: saved like any other.
  var page = 0

  static let schema = Schema<Volume> {
    Property(\.title, .indexed)
    Relation(\.next)
    Relation(\.related)
    Relation(\.marks)
    Embedded(\.place) { Relation(\.shelf) }
    \.status
    \.price
    \.rating
    Ignored(\.page)
  }
}
