package import LiveStore

/// A store with both tables of things, its model, and the model of every version it ever had.
package final class World {
  package let store: Store
  package private(set) var model: ModelStore
  /// The model of each version.
  package private(set) var models: [Version: ModelStore]
  /// Who wrote each version.
  package private(set) var origins: [Version: String] = [:]
  package private(set) var versions: [Version]

  package init(configuration: Store.Configuration = Store.Configuration()) throws {
    store = try Store(Thing<WithIndexes>.self, Thing<WithoutIndexes>.self, configuration: configuration)
    model = ModelStore(
      Thing<WithIndexes>.self, Thing<WithoutIndexes>.self,
      rules: ModelRules(unique: ["Thing<WithIndexes>.code"]))
    versions = [store.version]
    models = [store.version: model]
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
    } catch is Undo {
      try require(store.version == before, "a body that threw made version \(store.version)")
      return
    } catch let error as StoreError {
      let violations = script.model.violations(after: model)
      try require(
        violations.contains { $0.isReported(by: error) }, "\(error), but the violations are \(violations)")
      try require(store.version == before, "a refused commit made version \(store.version)")
      return
    }
    let violations = script.model.violations(after: model)
    try require(violations.isEmpty, "not refused: \(violations)")
    let isChanged = script.model.commit(after: model)
    try require(
      (store.version != before) == isChanged,
      isChanged
        ? "a commit with effect made no version" : "a commit without effect made version \(store.version)")
    if !isChanged { return }
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
