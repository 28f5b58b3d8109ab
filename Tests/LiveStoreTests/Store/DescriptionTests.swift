import Foundation
import LiveStore
import Testing

private struct Cup: Entity {
  let id: Int
  var color = "red"
  static let schema = Schema<Cup> { \.color }
}

private struct Shelf: Entity {
  let id: Int
  static let schema = Schema<Shelf> {}
}

private struct Label: Entity {
  let id: Int
  var text = ""
  var length: Int { text.count }
  static let schema = Schema<Label> {
    \.text
    \.length
  }
}

/// What people see who print a store: what is in it, and nothing of its insides.
@Suite struct `Descriptions` {
  private let store: Store

  init() throws {
    store = try Store(Cup.self, Shelf.self)
    try store.write { tx in
      try tx.insert(contentsOf: [Cup(id: 1), Cup(id: 2)])
      try tx.insert(Shelf(id: 1))
    }
  }

  private func dumped(_ value: some Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text
  }

  @Test func `a store shows its version and how many objects of which entity it has`() {
    #expect("\(store)" == "Store at version 1: 2 Cup, 1 Shelf")
    #expect(String(reflecting: store) == "\(store)")
  }

  @Test func `a snapshot shows its own version and counts, whatever came after`() throws {
    let snapshot = store.snapshot()
    try store.write { tx in try tx.deleteAll() }
    #expect("\(snapshot)" == "Snapshot at version 1: 2 Cup, 1 Shelf")
    #expect("\(store)" == "Store at version 2: 0 Cup, 0 Shelf")
  }

  @Test func `results show their number, entity, version and error`() {
    #expect("\(store.snapshot().fetch(Cup.all))" == "2 Cup at version 1")
    #expect("\(store.snapshot().fetch(Label.all))".contains("unknownEntity: The store has no entity Label"))
  }

  @Test func `a dump shows counts, versions and objects, and no trees`() {
    for text in [dumped(store), dumped(store.snapshot())] {
      #expect(text.contains("- version: 1") && text.contains("- Cup: 2") && text.contains("- Shelf: 1"))
      #expect(text.split(separator: "\n").count == 4, "\(text)")
    }
    let results = dumped(store.snapshot().fetch(Cup.all))
    #expect(results.contains("- count: 2") && results.contains("color: \"red\""))
    #expect(!results.contains("Tree") && !results.contains("StoreState"))
  }

  @Test func `a computed property without a name is refused by its place and type`() throws {
    let error = try #require(throws: StoreError.self) { try Store(Label.self) }
    #expect(error.message.contains("a computed property (property 2 of the schema, of type Int)"))
    #expect(!error.message.contains("0x"))
  }
}
