package import LiveStore

/// Thrown by bodies and savepoints that are to be undone.
package struct Undo: Error {
  package init() {}
}

/// The tables of things of a store and a model, written in step.
package struct Script {
  package var model: ModelStore

  package init(_ model: ModelStore) { self.model = model }

  /// Does an edit in the transaction and in the model, and compares what both report.
  package mutating func perform(_ edit: Edit, _ tx: borrowing WriteTransaction) throws {
    switch edit {
    case .savepoint(let edits, let fails):
      let before = model
      do {
        try tx.savepoint { tx in
          for edit in edits { try perform(edit, tx) }
          if fails { throw Undo() }
        }
        try require(!fails, "a savepoint whose body threw did not throw")
      } catch let error as Undo {
        model = before
        if !fails { throw error }
        try read(tx, 0)
      }
    case .fail: throw Undo()
    case .read(let seed): try read(tx, seed)
    default:
      try write(edit, tx, WithIndexes.self)
      try write(edit, tx, WithoutIndexes.self)
    }
  }

  private func read(_ tx: borrowing WriteTransaction, _ seed: UInt64) throws {
    try read(tx, seed, WithIndexes.self)
    try read(tx, seed, WithoutIndexes.self)
  }

  private func read<Mode: Indexing>(_ tx: borrowing WriteTransaction, _ seed: UInt64, _: Mode.Type) throws {
    var random = SplitMix64(seed: seed)
    let queryCase = random.query(for: Mode.self)
    let expected = queryCase.expectedRows(model.rows())
    try requireSame(tx.fetch(queryCase.query), expected, "tx.fetch(\(queryCase.text)) of \(Mode.self)")
    try require(tx.count(queryCase.query) == expected.count, "tx.count(\(queryCase.text)) of \(Mode.self)")
    try requireSame(tx.fetch(Thing<Mode>.all), model.rows(), "tx.fetch(all) of \(Mode.self)")
    let id = random.pick(Pool.ids)
    let (found, held) = (tx[Thing<Mode>.self, id], model[Thing<Mode>.self, id])
    try require(
      found.map { thing in held.map { thing.isSame(as: $0) } ?? false } ?? (held == nil),
      "tx[\(id)] is \(found.map { "\($0)" } ?? "nil") and not \(held.map { "\($0)" } ?? "nil")")
  }

  /// Writes to one table, of the store and of the model.
  private mutating func write<Mode: Indexing>(
    _ edit: Edit, _ tx: borrowing WriteTransaction, _: Mode.Type
  ) throws {
    typealias T = Thing<Mode>
    switch edit {
    case .insert(let things): try insert(things.map { $0.converted() as T }, tx)
    case .upsert(let things):
      let things: [T] = things.map { $0.converted() }
      if things.count == 1 { try tx.upsert(things[0]) } else { try tx.upsert(contentsOf: things) }
      for thing in things { model.upsert(thing) }
    case .update(let id, let patch):
      let isUpdated = model.update(T.self, id) { patch.apply(to: &$0) }
      try expect(isUpdated ? nil : StoreError.notFound, "\(edit)") {
        try tx.update(T.self, id) { patch.apply(to: &$0) }
      }
    case .waver(let id, let patch):
      guard let old = model[T.self, id] else { return }
      try tx.update(T.self, id) { patch.apply(to: &$0) }
      try tx.update(T.self, id) { $0 = old }
    case .delete(let id):
      let isDeleted = try tx.delete(T.self, id)
      try require(isDeleted == model.delete(T.modelKey(id)), "\(edit) gave \(isDeleted)")
    case .reinsert(let id, let patch):
      guard var thing = model[T.self, id] else { return }
      patch?.apply(to: &thing)
      try tx.delete(T.self, id)
      try tx.insert(thing)
      model.delete(T.modelKey(id))
      model.insert(thing)
    case .updateFound(let seed, let patch):
      let (query, found) = find(seed, Mode.self)
      let count = try tx.update(query) { patch.apply(to: &$0) }
      try require(count == found.count, "\(edit) of \(Mode.self) gave \(count)")
      for id in found { model.update(T.self, id) { patch.apply(to: &$0) } }
    case .deleteFound(let seed):
      let (query, found) = find(seed, Mode.self)
      let count = try tx.delete(query)
      try require(count == found.count, "\(edit) of \(Mode.self) gave \(count)")
      for id in found { model.delete(T.modelKey(id)) }
    case .clear:
      let count = try tx.deleteAll(T.self)
      try require(count == model.rows(T.self).count, "deleteAll of \(Mode.self) gave \(count)")
      model.deleteAll(T.self)
    case .savepoint, .fail, .read: break
    }
  }

  /// Inserts all of some things, or none.
  private mutating func insert<Mode: Indexing>(
    _ things: [Thing<Mode>], _ tx: borrowing WriteTransaction
  ) throws {
    var inserted = model
    let isInserted = things.allSatisfy { inserted.insert($0) }
    try expect(isInserted ? nil : StoreError.duplicateID, "insert \(things)") {
      if things.count == 1 { try tx.insert(things[0]) } else { try tx.insert(contentsOf: things) }
    }
    if isInserted { model = inserted }
  }

  private func expect(_ code: StoreError.Code?, _ what: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as StoreError {
      try require(error.code == code, "\(what) threw \(error)")
      return
    }
    if let code { throw Mismatch("\(what) did not throw \(code)") }
  }

  /// The query of a seed, and the ids of what it finds in the model.
  private func find<Mode: Indexing>(_ seed: UInt64, _: Mode.Type) -> (query: Query<Thing<Mode>>, ids: [Int]) {
    var random = SplitMix64(seed: seed)
    let queryCase = random.query(for: Mode.self)
    return (queryCase.query, queryCase.expectedRows(model.rows()).map(\.id))
  }
}
