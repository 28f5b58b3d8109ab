import TestSupport
import Testing

import LiveStore

private struct Parcel<ID: CollidingID>: Entity {
  let id: ID
  var weight: Int
  static var schema: Schema<Parcel> { Schema { Property(\.weight, .indexed) } }
}

private struct Claim: Entity {
  let id: Int
  var value: InconsistentValue
  var number = 0
  static let schema = Schema<Claim> {
    Property(\.value, .indexed)
    Property(\.number, .indexed)
  }
}

/// A sequence that is no collection.
private struct Items: Sequence, IteratorProtocol {
  var ids: Range<Int>

  mutating func next() -> Item? { ids.popFirst().map { Item($0, rank: $0 % 10) } }
}

/// Insertions of many objects, which are added in portions.
@Suite struct `Bulk insertion` {
  private let store: Store

  init() throws { store = try Store(Item.self) }

  private func expectConsistent(_ store: Store) throws {
    let breach = try store.snapshot().breachOfTables()
    #expect(breach == nil)
  }

  @Test(arguments: [0, 1, 255, 256, 257, 1_000])
  func `objects of any sequence are added in order`(count: Int) throws {
    try store.write { tx in
      try tx.insert(contentsOf: Items(ids: 0..<count))
      #expect(tx.fetch(Item.all).map(\.id).elementsEqual(0..<count))
      try tx.insert(contentsOf: (count..<count + 3).map { Item($0) })
    }
    #expect(store.snapshot().fetch(Item.all).map(\.id).elementsEqual(0..<count + 3))
    try expectConsistent(store)
  }

  @Test(arguments: [1, 100, 255, 256, 600])
  func `the first object whose id exists is named, and none is added`(position: Int) throws {
    try store.write { tx in try tx.insert(contentsOf: [Item(-1), Item(-2)]) }
    for (repeated, name) in [(-2, "-2"), (0, "0")] {
      var items = (0..<700).map { Item($0) }
      items[position] = Item(repeated)
      items[680] = Item(-1)
      try store.write { tx in
        try tx.insert(Item(5_000))
        let error = #expect(throws: StoreError.self) { try tx.insert(contentsOf: items) }
        #expect(error?.code == StoreError.duplicateID && error?.id == name)
        #expect(tx.fetch(Item.all).map(\.id) == [-1, -2, 5_000])
        try tx.delete(Item.self, 5_000)
      }
    }
    #expect(store.version.number == 1)
  }

  @Test func `of several objects with one id an upsert keeps the last, in the place of the first`() throws {
    try store.write { tx in try tx.insert(contentsOf: (0..<10).map { Item($0) }) }
    try store.write { tx in
      try tx.upsert(contentsOf: (0..<600).map { Item($0 % 400 + 5, rank: $0) })
    }
    let items = store.snapshot().fetch(Item.all)
    #expect(items.map(\.id).elementsEqual(0..<405))
    #expect(items.dropFirst(5).map(\.rank).elementsEqual((0..<400).map { $0 < 200 ? $0 + 400 : $0 }))
    try expectConsistent(store)
  }

  private func insertColliding<ID: CollidingID>(_: ID.Type) throws {
    let store = try Store(Parcel<ID>.self)
    let parcels = (0..<20).map { Parcel(id: ID(number: $0), weight: $0 % 3) }
    try store.write { tx in
      try tx.insert(contentsOf: parcels)
      let error = #expect(throws: StoreError.self) {
        try tx.insert(contentsOf: [Parcel(id: ID(number: 30), weight: 1), parcels[7]])
      }
      #expect(error?.code == StoreError.duplicateID)
      try tx.upsert(contentsOf: (10..<30).map { Parcel(id: ID(number: $0), weight: 7) })
    }
    #expect(store.snapshot().count(Parcel<ID>.all) == 30)
    #expect(store.snapshot().count(Parcel<ID>.where { $0.weight == 7 }) == 20)
    try expectConsistent(store)
  }

  @Test func `ids of equal hashes are distinguished`() throws {
    try insertColliding(OrderedID.self)
    try insertColliding(PlainID.self)
  }

  @Test func `an optimistic transaction repeats each insertion`() async throws {
    let items = (0..<300).map { Item($0) }
    var runs = 0
    try await store.transaction { tx in
      runs += 1
      try tx.insert(contentsOf: items)
      if runs == 1 { try await store.write { tx in try tx.insert(Item(1_000)) } }
    }
    #expect(store.snapshot().fetch(Item.all).map(\.id) == [1_000] + (0..<300))
    try expectConsistent(store)
  }

  @Test(arguments: Inconsistency.allCases)
  func `many values that are compared inconsistently spoil no other index, and can be deleted`(
    inconsistency: Inconsistency
  ) throws {
    let store = try Store(Claim.self)
    var random = SeededGenerator(seed: 9)
    let half = Environment.size(100, thorough: 300)
    for start in [0, half] {
      try store.write { tx in
        try tx.insert(
          contentsOf: (start..<start + half).map {
            let number = Int.random(in: 0..<40, using: &random)
            return Claim(
              id: $0, value: InconsistentValue(number: number, inconsistency: inconsistency, salt: $0),
              number: $0 % 10)
          })
        _ = Array(tx.fetch(Claim.sorted(by: \.value)))
      }
    }
    #expect(store.snapshot().count(Claim.where { $0.number == 3 }) == half / 5)
    try store.write { tx in
      for id in 0..<half * 2 where id % 10 != 3 {
        let isDeleted = try tx.delete(Claim.self, id)
        #expect(isDeleted)
      }
    }
    #expect(store.snapshot().fetch(Claim.all).map(\.id) == (0..<half / 5).map { $0 * 10 + 3 })
    #expect(store.snapshot().count(Claim.where { $0.number == 3 }) == half / 5)
    try store.write { tx in try tx.deleteAll(Claim.self) }
    #expect(store.snapshot().state.tables[0].indexes.map(\.count) == [0, 0])
  }

  @Test func `a schema that leaves a property out is reported by the first of many objects`() throws {
    struct Partial: Entity {
      let id: Int
      var name = ""
      var other = 0
      static let schema = Schema<Partial> { \.name }
    }
    let store = try Store(Partial.self)
    #expect {
      try store.write { tx in try tx.insert(contentsOf: (0..<10).map { Partial(id: $0) }) }
    } throws: {
      StoreError.invalidSchema ~= $0
    }
  }
}
