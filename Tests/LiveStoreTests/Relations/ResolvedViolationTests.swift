import LiveStore
import TestSupport
import Testing

private struct Owner: Entity, Hashable {
  let id: Int
  var name: String
  static let schema = Schema<Owner> { Property(\.name, .unique) }
}

private struct Item: Entity, Hashable {
  struct Place: Hashable, Sendable { var keeper: Ref<Owner>? }

  let id: Int
  var bound: Ref<Owner>?
  var loose: Ref<Owner>?
  var list = RefList<Owner>()
  var parent: Ref<Item>?
  var strict: Ref<Owner>?
  var place: Place?
  static let schema = Schema<Item> {
    Relation(\.bound, isRequired: true)
    Relation(\.loose, onDelete: .nullify)
    Relation(\.list)
    Relation(\.parent, onDelete: .cascade)
    Relation(\.strict, onDelete: .restrict)
    Embedded(\.place) { Relation(\.keeper) }
  }
}

private struct Feed: Entity {
  let id: Int
  var items = RefList<Item>()
  static let schema = Schema<Feed> { Relation(\.items) }
}

@Suite struct `Resolved violations` {
  /// Bug: with each of the objects that are deleted, their owner was copied and searched.
  @Test func `an owner of many objects that are deleted loses its links at once`() throws {
    let store = try Store(Owner.self, Item.self, Feed.self)
    let count = 5_000
    let resolved = try store.write { tx in
      try tx.insert(Owner(id: 0, name: "there"))
      try tx.insert(contentsOf: (0..<count).map { Item(id: $0, bound: Ref($0 % 10 == 0 ? 0 : 9)) })
      try tx.insert(Feed(id: 1, items: RefList(ids: 0..<count)))
      return tx.resolveViolations()
    }
    #expect(resolved.count == count - count / 10 + 1 && resolved.count { !$0.isDeleted } == 1)
    #expect(store.snapshot()[Feed.self, 1]?.items.ids == Array(stride(from: 0, to: count, by: 10)))
  }

  @Test func `an object that loses a link, and is deleted with another object, is reported as deleted`()
    throws
  {
    let store = try store()
    let resolved = try store.write { tx in
      try tx.insert(Owner(id: 1, name: "there"))
      // The parent is checked after it, and is deleted.
      try tx.insert(Item(id: 1, bound: 1, loose: 9, parent: 2))
      try tx.insert(Item(id: 2, bound: 1, parent: 8))
      return tx.resolveViolations()
    }
    #expect(store.count(Item.all) == 0)
    #expect(resolved.map { "\($0.error.id ?? "") \($0.isDeleted)" } == ["2 true", "1 true"])
  }

  private func store() throws -> Store { try Store(Owner.self, Item.self) }

  @Test func `links that lead nowhere follow their delete rules`() throws {
    let store = try store()
    let resolved = try store.write { tx in
      try tx.insert(Owner(id: 1, name: "there"))
      try tx.insert(Item(id: 1, bound: 1, loose: 2, list: [1, 2, 1, 3], place: .init(keeper: 4)))
      try tx.insert(Item(id: 2, bound: 1, strict: 9))
      try tx.insert(Item(id: 3, bound: 1, parent: 2))
      try tx.insert(Item(id: 4, bound: 1, parent: 3))
      try tx.insert(Item(id: 5))
      try tx.insert(Item(id: 6, bound: 1, loose: 1, list: [1], place: .init(keeper: 1)))
      return tx.resolveViolations()
    }
    let rest = store.fetch(Item.all)
    #expect(rest.map(\.id) == [1, 6])
    #expect(rest[0] == Item(id: 1, bound: 1, list: [1, 1], place: .init()))
    let shown = Set(resolved.map { "\($0.error.id ?? "") \($0.error.property ?? "") \($0.isDeleted)" })
    let expected: Set = [
      "1 loose false", "1 list false", "1 place.keeper false", "2 strict true", "3 parent true",
      "4 parent true",
      "5 bound true",
    ]
    #expect(shown == expected && resolved.count == expected.count)
    let whole = resolved.first { !$0.isDeleted }?.object as? Item
    #expect(whole?.id == 1)
  }

  @Test
  func `of equal values of a unique property the first stays, and links to the others follow their rules`()
    throws
  {
    let store = try store()
    let resolved = try store.write { tx in
      for (id, name) in [(3, "a"), (1, "b"), (2, "a"), (4, "a")] { try tx.insert(Owner(id: id, name: name)) }
      try tx.insert(Item(id: 1, bound: 3, loose: 2, list: [4, 3]))
      try tx.insert(Item(id: 2, bound: 4))
      return tx.resolveViolations()
    }
    #expect(store.fetch(Owner.all).map(\.id) == [3, 1])
    #expect(Array(store.fetch(Item.all)) == [Item(id: 1, bound: 3, list: [3])])
    #expect(resolved.count { $0.isDeleted } == 3 && resolved.count == 5)
  }

  @Test func `links to what the transaction deleted are removed, and all else stays`() throws {
    let store = try store()
    try store.write { tx in
      try tx.insert(contentsOf: [Owner(id: 1, name: "a"), Owner(id: 2, name: "b")])
      try tx.insert(contentsOf: [
        Item(id: 1, bound: 1), Item(id: 2, bound: 2), Item(id: 3, bound: 2, parent: 1),
      ])
    }
    try store.write { tx in
      try tx.delete(Owner.self, 1)
      #expect(tx.resolveViolations().count == 2)
    }
    #expect(store.fetch(Item.all).map(\.id) == [2])
    let version = store.version
    try store.write { tx in #expect(tx.resolveViolations().isEmpty) }
    #expect(store.version == version)
  }

  /// Bug: rows that were deleted and inserted again had their old numbers before the transaction had ended: to undo it ended
  /// the process.
  @Test func `violations are resolved in a savepoint that is undone`() throws {
    struct Undone: Error {}
    let store = try store()
    try store.write { tx in try tx.insert(Owner(id: 1, name: "a")) }
    try store.write { tx in
      try tx.delete(Owner.self, 1)
      try tx.insert(Owner(id: 1, name: "a"))
      #expect(throws: Undone.self) {
        try tx.savepoint { tx in
          #expect(tx.resolveViolations().isEmpty)
          throw Undone()
        }
      }
      try tx.update(Owner.self, 1) { owner in owner.name = "b" }
      #expect(tx.resolveViolations().isEmpty)
    }
    #expect(Array(store.fetch(Owner.all)) == [Owner(id: 1, name: "b")])
  }
}
