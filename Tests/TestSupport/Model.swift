package import LiveStore

/// The naive store: an array in insertion order.
package struct Model: Sendable {
  package struct Entry: Sendable {
    package var thing: Thing<WithIndexes>
    /// Grows with each insertion: where the thing stands without a sort.
    package var place: Int
  }

  package private(set) var entries: [Entry] = []
  private var nextPlace = 0

  package init() {}

  package func rows<Mode: Indexing>(_: Mode.Type = Mode.self) -> [Thing<Mode>] {
    entries.map { $0.thing.converted() }
  }

  package subscript(id: Int) -> Thing<WithIndexes>? { entries.first { $0.thing.id == id }?.thing }

  private func index(of id: Int) -> Int? { entries.firstIndex { $0.thing.id == id } }

  package mutating func insert(_ thing: Thing<WithIndexes>) {
    entries.append(Entry(thing: thing, place: nextPlace))
    nextPlace += 1
  }

  package mutating func upsert(_ thing: Thing<WithIndexes>) {
    if let index = index(of: thing.id) { entries[index].thing = thing } else { insert(thing) }
  }

  package mutating func delete(_ id: Int) { entries.removeAll { $0.thing.id == id } }

  package mutating func update(_ ids: [Int], _ patch: Patch) {
    for id in ids { if let index = index(of: id) { patch.apply(to: &entries[index].thing) } }
  }

  package mutating func clear() { entries = [] }

  /// Whether a version of this model differs from another by nothing that counts.
  package func isSame(as other: Model) -> Bool {
    entries.elementsEqual(other.entries) { $0.thing.isSame(as: $1.thing) }
  }

  package var hasDoubleCode: Bool {
    let codes = entries.compactMap(\.thing.code)
    return Set(codes).count < codes.count
  }
}

/// Thrown by bodies and savepoints that are to be undone.
package struct Undo: Error {
  package init() {}
}

/// Both tables of a store and the model, written in step.
package struct Script {
  package var model: Model

  package init(_ model: Model) { self.model = model }

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
      follow(edit)
    }
  }

  private func read(_ tx: borrowing WriteTransaction, _ seed: UInt64) throws {
    try read(tx, seed, WithIndexes.self)
    try read(tx, seed, WithoutIndexes.self)
  }

  private func read<Mode: Indexing>(_ tx: borrowing WriteTransaction, _ seed: UInt64, _: Mode.Type) throws {
    var random = SplitMix64(seed: seed)
    let judged = random.query(for: Mode.self)
    let expected = judged.judge(model.rows())
    try requireSame(tx.fetch(judged.query), expected, "tx.fetch(\(judged.text)) of \(Mode.self)")
    try require(tx.count(judged.query) == expected.count, "tx.count(\(judged.text)) of \(Mode.self)")
    try requireSame(tx.fetch(Thing<Mode>.all), model.rows(), "tx.fetch(all) of \(Mode.self)")
    let id = random.pick(Pool.ids)
    let found = tx[Thing<Mode>.self, id]
    try require(
      found.map { thing in model[id].map { thing.isSame(as: $0.converted()) } ?? false }
        ?? (model[id] == nil),
      "tx[\(id)] is \(found.map { "\($0)" } ?? "nil") and not \(model[id].map { "\($0)" } ?? "nil")")
  }

  /// What the tables do, against what the model expects of it before the edit.
  private func write<Mode: Indexing>(_ edit: Edit, _ tx: borrowing WriteTransaction, _: Mode.Type) throws {
    typealias T = Thing<Mode>
    switch edit {
    case .insert(let things):
      let isDouble = Set(things.map(\.id)).count < things.count || things.contains { model[$0.id] != nil }
      try expect(isDouble ? StoreError.duplicateID : nil, "\(edit)") {
        if things.count == 1 {
          try tx.insert(things[0].converted() as T)
        } else {
          try tx.insert(contentsOf: things.map { $0.converted() as T })
        }
      }
    case .upsert(let things):
      if things.count == 1 {
        try tx.upsert(things[0].converted() as T)
      } else {
        try tx.upsert(contentsOf: things.map { $0.converted() as T })
      }
    case .update(let id, let patch):
      try expect(model[id] == nil ? StoreError.notFound : nil, "\(edit)") {
        try tx.update(T.self, id) { patch.apply(to: &$0) }
      }
    case .waver(let id, let patch):
      guard let old = model[id] else { return }
      try tx.update(T.self, id) { patch.apply(to: &$0) }
      try tx.update(T.self, id) { $0 = old.converted() }
    case .delete(let id):
      let isDeleted = try tx.delete(T.self, id)
      try require(isDeleted == (model[id] != nil), "\(edit) gave \(isDeleted)")
    case .reinsert(let id, let patch):
      guard var thing: T = model[id]?.converted() else { return }
      patch?.apply(to: &thing)
      try tx.delete(T.self, id)
      try tx.insert(thing)
    case .updateFound(let seed, let patch):
      var random = SplitMix64(seed: seed)
      let judged = random.query(for: Mode.self)
      let count = try tx.update(judged.query) { patch.apply(to: &$0) }
      try require(count == judged.judge(model.rows()).count, "\(edit) of \(Mode.self) gave \(count)")
    case .deleteFound(let seed):
      var random = SplitMix64(seed: seed)
      let judged = random.query(for: Mode.self)
      let count = try tx.delete(judged.query)
      try require(count == judged.judge(model.rows()).count, "\(edit) of \(Mode.self) gave \(count)")
    case .clear:
      let count = try tx.deleteAll(T.self)
      try require(count == model.entries.count, "deleteAll of \(Mode.self) gave \(count)")
    case .savepoint, .fail, .read: break
    }
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

  private mutating func follow(_ edit: Edit) {
    switch edit {
    case .insert(let things):
      if Set(things.map(\.id)).count < things.count || things.contains(where: { model[$0.id] != nil }) {
        return
      }
      for thing in things { model.insert(thing) }
    case .upsert(let things): for thing in things { model.upsert(thing) }
    case .update(let id, let patch): model.update([id], patch)
    case .delete(let id): model.delete(id)
    case .reinsert(let id, let patch):
      guard var thing = model[id] else { return }
      patch?.apply(to: &thing)
      model.delete(id)
      model.insert(thing)
    case .updateFound(let seed, let patch): model.update(found(seed), patch)
    case .deleteFound(let seed): for id in found(seed) { model.delete(id) }
    case .clear: model.clear()
    case .waver, .savepoint, .fail, .read: break
    }
  }

  private func found(_ seed: UInt64) -> [Int] {
    var random = SplitMix64(seed: seed)
    return random.query(for: WithIndexes.self).judge(model.rows()).map(\.id)
  }
}

/// A store with both tables, its model, and the model of every version it ever had.
package final class World {
  package let store: Store
  package private(set) var model = Model()
  /// The model of each version.
  package private(set) var models: [Version: Model]
  /// Who wrote each version.
  package private(set) var origins: [Version: String] = [:]
  package private(set) var versions: [Version]

  package init(configuration: Store.Configuration = Store.Configuration()) throws {
    store = try Store(Thing<WithIndexes>.self, Thing<WithoutIndexes>.self, configuration: configuration)
    versions = [store.version]
    models = [store.version: Model()]
  }

  /// Runs a transaction and compares its outcome: committed, without effect, or refused.
  package func run(_ transaction: RandomTransaction) async throws {
    let before = store.version
    var script = Script(model)
    var announced: Version?
    do {
      try await store.write(origin: transaction.origin) { tx in
        announced = tx.version
        for edit in transaction.edits { try script.perform(edit, tx) }
      }
      try require(!script.model.hasDoubleCode, "two things with one code were committed")
    } catch is Undo {
      try require(store.version == before, "a body that threw made version \(store.version)")
      return
    } catch let error as StoreError where error.code == StoreError.uniqueViolation {
      try require(script.model.hasDoubleCode, "no code is double, and yet: \(error)")
      try require(store.version == before, "a refused commit made version \(store.version)")
      return
    }
    let isSame = script.model.isSame(as: model)
    try require(
      (store.version == before) == isSame,
      isSame
        ? "a commit without effect made version \(store.version)" : "a commit with effect made no version")
    if isSame { return }
    try require(store.version == announced, "tx.version was \(announced.map { "\($0)" } ?? "nil")")
    model = script.model
    models[store.version] = model
    origins[store.version] = transaction.origin
    versions.append(store.version)
  }

  /// The rows at a version, in insertion order.
  package func rows<Mode: Indexing>(at version: Version, _: Mode.Type = Mode.self) throws -> [Thing<Mode>] {
    guard let model = models[version] else { throw Mismatch("there is no version \(version)") }
    return model.rows()
  }
}

/// Throws unless a result is what is expected, whichever way it is read.
package func requireSame<Mode: Indexing>(
  _ found: Results<Thing<Mode>>, _ expected: [Thing<Mode>], _ what: @autoclosure () -> String
) throws {
  let walked = Array(found)
  if !walked.elementsEqual(expected, by: { $0.isSame(as: $1) }) {
    throw Mismatch("\(what()) is\n    \(walked)\nand not\n    \(expected)")
  }
  try require(found.count == expected.count, "\(what()): count is \(found.count), not \(expected.count)")
  // Every position of a small result, some of a large one.
  for index in stride(from: 0, to: expected.count, by: max(1, expected.count / 8)) {
    let thing = expected[index]
    try require(found[index].isSame(as: thing), "\(what()): [\(index)] is \(found[index]), not \(thing)")
    try require(found.firstIndex(id: thing.id) == index, "\(what()): firstIndex(id: \(thing.id))")
  }
}
