import Foundation
import LiveStore
import LiveStoreSQLite
import Synchronization
import TestSupport

/// Which of the entities are named when a random file is opened.
private enum CellNaming: String, CaseIterable {
  case all, alphaBeta, gamma, beta

  var types: [any Celled.Type] {
    switch self {
    case .all: [Gamma.self, Alpha.self, Beta.self]
    case .alphaBeta: [Alpha.self, Beta.self]
    case .gamma: [Gamma.self]
    case .beta: [Beta.self]
    }
  }

  var names: Set<String> { Set(types.map { "\($0)" }) }

  func open(at url: URL, _ options: StoreFile.Options) async throws -> StoreFile {
    switch self {
    case .all: try await StoreFile.open(at: url, Gamma.self, Alpha.self, Beta.self, options: options)
    case .alphaBeta: try await StoreFile.open(at: url, Alpha.self, Beta.self, options: options)
    case .gamma: try await StoreFile.open(at: url, Gamma.self, options: options)
    case .beta: try await StoreFile.open(at: url, Beta.self, options: options)
    }
  }
}

/// A file through several openings, each with migrations and transactions, beside a model.
struct MigrationHistory {
  /// What a step throws on purpose.
  private struct Thrown: Error {}

  /// A change of a transaction.
  private enum Edit: Sendable {
    case upsert(any Celled)
    case delete(any Celled.Type, Int)

    func apply(_ tx: inout WriteTransaction) throws {
      switch self {
      case .upsert(let object): try Self.upsert(object, &tx)
      case .delete(let type, let id): try Self.delete(type, id, &tx)
      }
    }

    private static func upsert<Element: Celled>(_ object: Element, _ tx: inout WriteTransaction) throws {
      try tx.upsert(object)
    }

    private static func delete<Element: Celled>(
      _ type: Element.Type, _ id: Int, _ tx: inout WriteTransaction
    ) throws {
      try tx.delete(type, id)
    }
  }

  /// What the steps that run in an opening share.
  private final class Progress: Sendable {
    private let state: Mutex<(model: MigrationModel, log: [String])>
    init(_ model: MigrationModel) { state = Mutex((model, [])) }
    var model: MigrationModel { state.withLock { $0.model } }
    var log: [String] { state.withLock { $0.log } }
    func advance(to model: MigrationModel, _ line: String) {
      state.withLock {
        $0.model = model
        $0.log.append(line)
      }
    }
  }

  private let folder: Folder
  private let sealing: Sealing
  private var random: SplitMix64
  private var model = MigrationModel()
  private var version = 1
  /// A file that nothing was written to is as a new one: no step is run for it.
  private var isWritten = false
  private(set) var log: [String] = []

  init(seed: UInt64) throws {
    folder = try Folder()
    random = SplitMix64(seed: seed)
    sealing = random.pick(Sealing.allCases)
  }

  mutating func run() async throws {
    log.append("a new file, \(sealing)")
    try await session(.all, steps: [])
    for _ in 0..<random.int(1...4) {
      let naming = random.pick(CellNaming.allCases)
      let steps = (0..<random.int(0...3)).map { _ in
        (0..<random.int(1...8)).map { _ in MigrationOperation.random(&random) }
      }
      try await session(naming, steps: steps)
    }
    // What no entity names is read by a step.
    log.append("read all")
    let progress = Progress(model)
    let last = migrations([[.readOld]], throwing: false, progress)
    do {
      try await CellNaming.gamma.open(at: folder.file, sealing.options(last)).close()
    } catch let error where !model.isValid(CellNaming.gamma.names) {
      try requireRule(error)
    }
  }

  /// The steps of an opening, and one that leads to the version of the file for those before.
  private func migrations(
    _ steps: [[MigrationOperation]], throwing: Bool, _ progress: Progress
  ) -> [Migration] {
    var migrations: [Migration] = []
    if version > 1 { migrations.append(Migration(from: 1, to: version) { _, _ in throw Thrown() }) }
    for (index, operations) in steps.enumerated() {
      let throwsAtEnd = throwing && index == steps.count - 1
      migrations.append(
        Migration(from: version + index, to: version + index + 1) { old, tx in
          let before = progress.model
          try before.check(old, "at the beginning of step \(index)")
          for operation in operations {
            var model = progress.model
            let accepts = model.accepts(operation, old: before)
            let isTaken = try operation.apply(old, &tx, oldModel: before)
            progress.advance(to: model, "  \(operation)\(isTaken ? "" : ", refused")")
            try require(accepts == nil || accepts == isTaken, "\(operation) is \(isTaken ? "taken" : "refused")")
            if isTaken { model.apply(operation, old: before) }
            progress.advance(to: model, "")
          }
          try before.check(old, "at the end of step \(index)")
          if throwsAtEnd { throw Thrown() }
        })
    }
    return migrations
  }

  /// One opening, with what is written until the file is closed.
  private mutating func session(_ naming: CellNaming, steps: [[MigrationOperation]]) async throws {
    let throwing = isWritten && !steps.isEmpty && random.chance(1, in: 8)
    let progress = Progress(model)
    var migrations = migrations(steps, throwing: throwing, progress)
    let renamesEntity = naming.names.contains("Alpha") && random.chance(1, in: 3)
    let renamesProperty = random.chance(1, in: 3)
    if renamesEntity { migrations.append(.renamed("Delta", to: Alpha.self)) }
    if renamesProperty { migrations.append(.renamed("a2", to: "a1", in: Beta.self)) }
    let before = try? folder.bytes()
    log.append(
      "open \(naming), \(steps.count) steps\(throwing ? ", the last of which throws" : "")"
        + (renamesEntity ? ", Delta is Alpha" : "")
        + (renamesProperty ? ", a2 of Beta is a1" : ""))
    let file: StoreFile
    var (next, isRenamed) = (model, true)
    do {
      file = try await naming.open(at: folder.file, sealing.options(migrations))
      next = progress.model
      isRenamed = declare(renamesEntity, renamesProperty, &next)
    } catch {
      log += progress.log.filter { !$0.isEmpty }
      next = progress.model
      isRenamed = declare(renamesEntity, renamesProperty, &next)
      if throwing {
        try require(error is Thrown, "the error is \(error)")
      } else if !isRenamed {
        try require((error as? StoreFileError)?.code == .invalidMigration, "\(error)")
      } else {
        try require(!next.isValid(naming.names), "it is refused: \(error)")
        try requireRule(error)
      }
      log.append("refused: \(error)")
      try require(try folder.bytes() == before, "the file is another one than before")
      return
    }
    log += progress.log.filter { !$0.isEmpty }
    try require(isWritten || progress.log.isEmpty, "a step was run")
    try require(!throwing && isRenamed && next.isValid(naming.names), "it is not refused")
    (model, version) = (next, version + steps.count)
    try await use(file, naming)
  }

  /// Does to a model what migrations without steps do; false if they have to be refused.
  private func declare(_ entity: Bool, _ property: Bool, _ model: inout MigrationModel) -> Bool {
    if entity, let objects = model.entities["Delta"], !objects.isEmpty {
      guard (model.entities["Alpha"] ?? []).isEmpty else { return false }
      model.entities["Alpha"] = model.entities.removeValue(forKey: "Delta")
    }
    if property, model.properties("Beta").contains("a2") {
      if model.properties("Beta").contains("a1") { return false }
      let old = model
      model.apply(.renameProperty("a2", to: "a1", of: "Beta"), old: old)
    }
    return true
  }

  private func requireRule(_ error: any Error) throws {
    let codes = [StoreError.uniqueViolation, StoreError.duplicateID]
    try require((error as? StoreError).map { codes.contains($0.code) } == true, "it is refused: \(error)")
  }

  /// Compares, writes, reads again and closes.
  private mutating func use(_ file: StoreFile, _ naming: CellNaming) async throws {
    for type in naming.types { try check(type, file.store.snapshot(), "opened") }
    for _ in 0..<random.int(0...2) {
      var (edits, next) = ([Edit](), model)
      for type in naming.types { edits += self.edits(type, &next) }
      guard next.isValid(naming.names) else { continue }
      log.append("write \(edits.count) changes")
      try await file.write { [edits] tx in for edit in edits { try edit.apply(&tx) } }
      model = next
      isWritten = isWritten || !edits.isEmpty
    }
    if random.chance(1, in: 4) {
      log.append("compact")
      try await file.compact()
      for name in naming.names {
        model.change(name) { $0.cells = $0.cells.filter { Alpha.properties.contains($0.key) } }
      }
    }
    for type in naming.types { try check(type, file.store.snapshot(), "written") }
    try await file.close()
  }

  /// Random changes of the objects of an entity, which the model gets, too.
  private mutating func edits<Element: Celled>(_ type: Element.Type, _ model: inout MigrationModel) -> [Edit] {
    let name = "\(type)"
    var edits: [Edit] = []
    var objects = model.entities[name] ?? []
    for _ in 0..<(random.chance(1, in: 12) ? 900 : random.int(0...12)) {
      if !objects.isEmpty, random.chance(1, in: 4) {
        let index = random.int(0...objects.count - 1)
        edits.append(.delete(type, objects.remove(at: index).id))
        continue
      }
      var object = MigrationModel.Object(id: random.int(0...1_200))
      for property in Element.properties { object[property] = .random(property, &random) }
      // Values of the unique property that are mostly different.
      if object["a0"] != .none, random.chance(9, in: 10) { object["a0"] = .int(object.id * 1_000) }
      edits.append(.upsert(Element(object)))
      if let index = objects.firstIndex(where: { $0.id == object.id }) {
        objects[index] = object
      } else {
        objects.append(object)
      }
    }
    model.entities[name] = objects
    return edits
  }

  private func check<Element: Celled>(_ type: Element.Type, _ snapshot: Snapshot, _ place: String) throws {
    let found = snapshot.fetch(Element.all).map(\.object)
    let expected = (model.entities["\(type)"] ?? []).map { object in
      MigrationModel.Object(
        id: object.id, cells: object.cells.filter { Element.properties.contains($0.key) })
    }
    if found == expected { return }
    let index = zip(found, expected).prefix { $0 == $1 }.count
    throw Mismatch(
      """
      \(place): \(type) has \(found.count) objects, should have \(expected.count); at \(index) \
      \(found.dropFirst(index).first.map { "\($0)" } ?? "nothing"), should be \
      \(expected.dropFirst(index).first.map { "\($0)" } ?? "nothing")
      """)
  }
}
