import TestSupport
import Testing

import LiveStore

/// An id of which hundreds have one hash.
private protocol CollidingID: Hashable, Sendable { init(_ number: Int) }

private struct PlainID: CollidingID {
  let number: Int
  init(_ number: Int) { self.number = number }
  func hash(into hasher: inout Hasher) { hasher.combine(number % 3) }
}

private struct OrderedID: CollidingID, Comparable {
  let number: Int
  init(_ number: Int) { self.number = number }
  func hash(into hasher: inout Hasher) { hasher.combine(number % 3) }
  static func < (lhs: OrderedID, rhs: OrderedID) -> Bool { lhs.number < rhs.number }
}

private struct Record<ID: CollidingID>: Entity {
  let id: ID
  var value: Int
  static var schema: Schema<Record<ID>> { Schema { \.value } }
}

@Suite struct `Colliding ids` {
  @Test func `ids of equal hash are distinguished by their order`() throws { try run(OrderedID.self) }

  @Test func `ids of equal hash and without order are distinguished`() throws { try run(PlainID.self) }

  private func run<ID: CollidingID>(_: ID.Type) throws {
    let store = try Store(Record<ID>.self)
    var generator = SeededGenerator(seed: 5)
    var model: [Int: Int] = [:]
    for step in 0..<Environment.size(20, thorough: 60) {
      let before = store.snapshot()
      let old = model
      try store.write { tx in
        for _ in 0..<20 {
          let number = Int.random(in: 0..<300, using: &generator)
          let id = ID(number)
          if model[number] == nil {
            try tx.insert(Record(id: id, value: step))
            model[number] = step
          } else if Bool.random(using: &generator) {
            #expect(throws: StoreError.self) { try tx.insert(Record(id: id, value: -1)) }
            try tx.update(Record<ID>.self, id) { $0.value = step }
            model[number] = step
          } else {
            check(try tx.delete(Record<ID>.self, id), "deleting \(number) in step \(step)")
            model[number] = nil
          }
          check(tx[Record<ID>.self, id]?.value == model[number], "\(number) within step \(step)")
        }
      }
      let after = store.snapshot()
      for number in 0..<300 {
        check(before[Record<ID>.self, ID(number)]?.value == old[number], "\(number) before step \(step)")
        check(after[Record<ID>.self, ID(number)]?.value == model[number], "\(number) after step \(step)")
      }
    }
    #expect(store.snapshot().state.tables[0].collisions > 0)
  }
}
