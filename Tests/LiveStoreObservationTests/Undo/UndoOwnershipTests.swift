import LiveStore
import LiveStoreObservation
import TestSupport
import Testing

private struct Errand: Entity, Hashable {
  let id: Int
  var title = ""
  static let schema = Schema<Errand> { \.title }
}

private struct Plan: Entity, Hashable {
  let id: Int
  var errands = RefList<Errand>()
  static let schema = Schema<Plan> { Relation(\.errands, .owned) }
}

/// No rule runs when a step is undone: what the owner took with it is part of the step.
@Suite struct `Undo of owned objects` {
  private let store: Store
  private let stack: UndoStack

  init() throws {
    store = try Store(Plan.self, Errand.self)
    try store.write { tx in
      try tx.insert(contentsOf: (1...4).map { Errand(id: $0, title: "\($0)") })
      try tx.insert(contentsOf: [Plan(id: 1, errands: [1, 2, 1]), Plan(id: 2, errands: [2, 3])])
    }
    stack = UndoStack(store)
  }

  private func mine(_ body: (borrowing WriteTransaction) throws -> Void) throws {
    try store.write(origin: "ui") { tx in try body(tx) }
  }

  private var errands: [Int] { store.fetch(Errand.all).map(\.id) }

  @Test func `undo restores a deleted owner with all that it owned, and redo deletes all again`() throws {
    try mine { tx in _ = try tx.delete(Plan.self, 1) }
    #expect(errands == [3, 4] && store[Plan.self, 2]?.errands == [3])
    try stack.undo()
    #expect(errands == [1, 2, 3, 4])
    #expect(store.fetch(Plan.all).map(\.errands.ids) == [[1, 2, 1], [2, 3]])
    try stack.redo()
    #expect(errands == [3, 4] && store.fetch(Plan.all).map(\.errands.ids) == [[3]])
  }

  @Test func `undo deletes an inserted owner alone if what it owns existed before`() throws {
    try mine { tx in try tx.insert(Plan(id: 3, errands: [4])) }
    try stack.undo()
    #expect(errands == [1, 2, 3, 4] && store.count(Plan.all) == 2)
  }

  @Test func `undo of an inserted owner keeps owned objects that others have linked to since`() throws {
    try mine { tx in
      try tx.insert(Errand(id: 5))
      try tx.insert(Plan(id: 3, errands: [5]))
    }
    try store.write(origin: "sync") { tx in try tx.update(Plan.self, 2) { $0.errands.append(5) } }
    let report = try stack.undo()
    #expect(report?.conflicts.map(\.entity) == ["Errand"])
    #expect(errands == [1, 2, 3, 4, 5] && store[Plan.self, 3] == nil)
  }
}
