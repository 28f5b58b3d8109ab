import LiveStore
import TestSupport
import Testing

private struct Row<ID: CollidingID>: Entity {
  let id: ID
  var value: Int
  static var schema: Schema<Row<ID>> { Schema<Row<ID>> { Property(\.value, .indexed) } }
}

@Suite struct `Ids of equal hash` {
  @Test func `ids of equal hash that are Comparable are found, replaced and deleted`() async throws {
    try await check(OrderedID.self)
  }

  @Test func `ids of equal hash without an order are found, replaced and deleted`() async throws {
    try await check(PlainID.self)
  }

  private func check<ID: CollidingID>(_: ID.Type) async throws {
    let store = try Store(Row<ID>.self)
    var model: [Int: Int] = [:]
    // 7 and 400 have no common divisor: every number once, in a mixed order.
    let numbers: [Int] = (0..<400).map { $0 * 7 % 400 }
    for chunk in stride(from: 0, to: 400, by: 50) {
      try await store.write { tx in
        for number in numbers[chunk..<chunk + 50] {
          try tx.insert(Row(id: ID(number: number), value: number))
          #expect(throws: StoreError.self) { try tx.insert(Row(id: ID(number: number), value: -1)) }
        }
      }
    }
    for number in numbers { model[number] = number }
    verify(store.snapshot(), model, ID.self)
    let full = store.snapshot()
    try await store.write { tx in
      for number in stride(from: 0, to: 400, by: 3) {
        #expect(try tx.delete(Row<ID>.self, ID(number: number)))
        #expect(try tx.delete(Row<ID>.self, ID(number: number)) == false)
        model[number] = nil
      }
      for number in stride(from: 1, to: 400, by: 3) {
        try tx.upsert(Row(id: ID(number: number), value: number + 1000))
        model[number] = number + 1000
      }
      for number in stride(from: 2, to: 400, by: 6) {
        try tx.update(Row<ID>.self, ID(number: number)) { $0.value = -1 }
        model[number] = -1
      }
      for number in stride(from: 0, to: 400, by: 6) {
        try tx.insert(Row(id: ID(number: number), value: 5))
        model[number] = 5
      }
    }
    verify(store.snapshot(), model, ID.self)
    let untouched: [Int: Int] = Dictionary(uniqueKeysWithValues: zip(0..<400, 0..<400))
    verify(full, untouched, ID.self)
    #expect(store.metrics.idCollisions > 0)
    // Changes are by identity too.
    let changes = full.fetch(Row<ID>.all).changes(to: store.snapshot().fetch(Row<ID>.all))
    #expect(changes.deletions.count == 67)
    #expect(changes.modifications.count == 133 + 67 + 67)
    try await store.write { tx in
      for number in numbers { try tx.delete(Row<ID>.self, ID(number: number)) }
    }
    verify(store.snapshot(), [:], ID.self)
    try await store.write { tx in try tx.insert(Row(id: ID(number: 3), value: 3)) }
    verify(store.snapshot(), [3: 3], ID.self)
  }

  private func verify<ID: CollidingID>(_ snapshot: Snapshot, _ model: [Int: Int], _: ID.Type) {
    #expect(snapshot.count(Row<ID>.all) == model.count)
    let results = snapshot.fetch(Row<ID>.all)
    for number in -1...400 {
      let id = ID(number: number)
      #expect(snapshot[Row<ID>.self, id]?.value == model[number], "\(number)")
      #expect(results.firstIndex(id: id).map { results[$0].value } == model[number], "\(number)")
    }
    #expect(snapshot.fetch(Row<ID>.where { $0.value == 5 }).count == model.values.count { $0 == 5 })
  }
}
