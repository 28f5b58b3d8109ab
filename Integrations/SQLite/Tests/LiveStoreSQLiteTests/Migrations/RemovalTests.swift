import Foundation
import LiveStore
import LiveStoreSQLite
import Testing

/// Entities with all that there was.
private enum Before {
  struct Item: Entity, Codable, Equatable {
    let id: Int
    var title: String
    var secret: String?
    var weight: Double?
    static let schema = Schema<Item> {
      \.title
      Property(\.secret, .indexed)
      \.weight
    }
  }
  struct Tag: Entity, Codable, Equatable {
    let id: String
    var item: Ref<Item>?
    static let schema = Schema<Tag> { Relation(\.item) }
  }

  static let items = [
    Item(id: 2, title: "b", secret: "hidden words", weight: 2), Item(id: 1, title: "a"),
    Item(id: 3, title: "c", secret: "other words"),
  ]
}

/// The entity without one of its properties.
private enum After {
  struct Item: Entity, Codable, Equatable {
    let id: Int
    var title: String
    var weight: Double?
    static let schema = Schema<Item> {
      \.title
      \.weight
    }
  }

  static let items = [
    Item(id: 2, title: "b", weight: 2), Item(id: 1, title: "a"), Item(id: 3, title: "c"),
  ]
}

@Suite(.timeLimit(.minutes(10))) struct `Entities and properties that are gone` {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func writeItems(_ sealing: Sealing) async throws {
    try await folder.write(Before.Item.self, Before.Tag.self, options: sealing.options()) { tx in
      try tx.insert(contentsOf: Before.items)
      try tx.insert(Before.Tag(id: "t", item: Ref(2)))
    }
  }

  @Test(arguments: Sealing.allCases)
  func `without a property the others keep their values, and so does its column`(sealing: Sealing)
    async throws
  {
    try await writeItems(sealing)
    let options = sealing.options()
    for _ in 0..<2 { #expect(try await folder.all(After.Item.self, options: options) == After.items) }
    #expect(try await folder.all(Before.Item.self, options: options) == Before.items)
  }

  @Test(arguments: Sealing.allCases)
  func `objects that are written without a property lose its value, and the others keep theirs`(
    sealing: Sealing
  ) async throws {
    try await writeItems(sealing)
    let options = sealing.options()
    try await folder.write(After.Item.self, options: options) { tx in
      try tx.update(After.Item.self, 2) { $0.title = "written" }
      try tx.insert(After.Item(id: 4, title: "d"))
    }
    var expected = Before.items
    expected[0].title = "written"
    expected[0].secret = nil
    expected.append(Before.Item(id: 4, title: "d"))
    for _ in 0..<2 { #expect(try await folder.all(Before.Item.self, options: options) == expected) }
  }

  @Test(arguments: Sealing.allCases)
  func `compacting removes the column of a property that is gone, for good`(sealing: Sealing) async throws {
    try await writeItems(sealing)
    let options = sealing.options()
    let file = try await StoreFile.open(at: folder.file, After.Item.self, options: options)
    try await file.compact()
    #expect(Array(file.store.fetch(After.Item.all)) == After.items)
    try await file.write { tx in try tx.insert(After.Item(id: 4, title: "d")) }
    try await file.close()
    if sealing == .plain {
      #expect(try await !folder.columns(of: "Item").contains("secret"))
      let bytes = try folder.bytes()
      #expect(bytes.allSatisfy { $0.range(of: Data("hidden words".utf8)) == nil })
    }
    #expect(
      try await folder.all(After.Item.self, options: options) == After.items + [
        After.Item(id: 4, title: "d")
      ])
    try await folder.read(Before.Item.self, Before.Tag.self, options: options) { snapshot in
      #expect(snapshot.fetch(Before.Item.all).map(\.secret) == [nil, nil, nil, nil])
      #expect(snapshot.fetch(Before.Item.all).map(\.weight) == [2, nil, nil, nil])
      #expect(snapshot.fetch(Before.Tag.where { $0.item.title == "b" }).map(\.id) == ["t"])
    }
  }

  @Test(arguments: Sealing.allCases)
  func `an entity that is not named stays as it is, and is there when it is named again`(sealing: Sealing)
    async throws
  {
    try await writeItems(sealing)
    let options = sealing.options()
    let file = try await StoreFile.open(at: folder.file, After.Item.self, options: options)
    try await file.write { tx in try tx.insert(After.Item(id: 4, title: "d")) }
    try await file.compact()
    try await file.close()
    try await folder.read(Before.Item.self, Before.Tag.self, options: options) { snapshot in
      #expect(Array(snapshot.fetch(Before.Tag.all)) == [Before.Tag(id: "t", item: Ref(2))])
      #expect(snapshot.fetch(Before.Item.all).map(\.id) == [2, 1, 3, 4])
    }
  }

  @Test(arguments: Sealing.allCases)
  func
    `an entity that comes back and links to an object that was deleted meanwhile is an error that names the row`(
      sealing: Sealing
    ) async throws
  {
    try await writeItems(sealing)
    try await folder.write(After.Item.self, options: sealing.options()) { tx in
      try tx.delete(After.Item.self, 2)
    }
    let error = await #expect(throws: StoreFileError.self) {
      try await folder.read(Before.Item.self, Before.Tag.self, options: sealing.options()) { _ in }
    }
    #expect(
      error?.code == .damaged && error?.table == "Tag" && error?.row == 1, "\(String(describing: error))")
    #expect(error?.message.contains("the link item leads to 2, which is gone") == true)
  }
}
