import Foundation
import LiveStore
import LiveStoreSQLite
import Synchronization
import SQLiteTestSupport

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
    private let state: Mutex<(model: MigrationModel, log: [String], lastStep: Int?)>
    init(_ model: MigrationModel) { state = Mutex((model, [], nil)) }
    var model: MigrationModel { state.withLock { $0.model } }
    var log: [String] { state.withLock { $0.log } }
    /// The place in the list of the step that ran last.
    var lastStep: Int? { state.withLock { $0.lastStep } }
    func begin(_ step: Int, _ model: MigrationModel) {
      state.withLock { $0.lastStep = step }
      advance(to: model, "step \(step)")
    }
    func advance(to model: MigrationModel, _ line: String) {
      state.withLock {
        $0.model = model
        $0.log.append(line)
      }
    }
  }

  /// An entry of the list of migrations.
  private enum Entry {
    case step([MigrationOperation])
    case renamedEntity(String, to: any Celled.Type)
    case renamedProperty(String, to: String, of: any Celled.Type)

    var isRenaming: Bool { if case .step = self { false } else { true } }

    static func renaming(_ random: inout SplitMix64) -> Entry {
      let type = random.pick(CellNaming.all.types)
      if random.chance(1, in: 2) {
        return .renamedEntity(random.pick(MigrationOperation.entities.filter { $0 != "\(type)" }), to: type)
      }
      let property = random.pick(MigrationOperation.properties)
      let others = MigrationOperation.properties.filter { $0.first == property.first && $0 != property }
      return .renamedProperty(property, to: random.pick(others), of: type)
    }
  }

  private let folder: Folder
  private let sealing: Sealing
  private var random: SplitMix64
  private var model = MigrationModel()
  private var version = 1
  /// The list of migrations that the file has passed. What is added to it is behind.
  private var list: [Entry] = []
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
    try await session(.all, adding: [])
    for _ in 0..<random.int(1...4) {
      let naming = random.pick(CellNaming.allCases)
      let entries = randomEntries()
      try await refuseOlder(naming)
      try await session(naming, adding: entries)
    }
    // What no entity names is read by a step.
    log.append("read all")
    let progress = Progress(model)
    let last = migrations([.step([.readOld])], throwing: false, progress)
    do {
      try await CellNaming.gamma.open(at: folder.file, sealing.options(last)).close()
    } catch let error where !model.isValid(CellNaming.gamma.names) {
      try requireRule(error)
    }
  }

  /// Entries for the end of the list. Most of the renamings have something to do.
  private mutating func randomEntries() -> [Entry] {
    var (entries, expected) = ([Entry](), model)
    for _ in 0..<random.int(0...5) {
      if random.chance(1, in: 2) {
        entries.append(.step((0..<random.int(1...8)).map { _ in MigrationOperation.random(&random) }))
        continue
      }
      var (entry, next) = (Entry.renaming(&random), expected)
      for _ in 0..<12 {
        next = expected
        if Self.apply(entry, before: [], &next), next != expected { break }
        entry = .renaming(&random)
      }
      if case .renamedEntity(let name, let type) = entry, random.chance(2, in: 3),
        let property = MigrationOperation.properties.first(where: expected.properties(name).contains)
      {
        // A property, too, of the entity as it is called later.
        let renaming = Entry.renamedProperty(property, to: "\(property.prefix(1))2", of: type)
        entries.insert(renaming, at: random.int(0...entries.count))
      }
      entries.append(entry)
      expected = next
    }
    return entries
  }

  /// The list of the file, and entries behind it that change the model when they are applied.
  private func migrations(_ added: [Entry], throwing: Bool, _ progress: Progress) -> [Migration] {
    var (migrations, version) = ([Migration](), 1)
    let entries = list + added
    for (place, entry) in entries.enumerated() {
      switch entry {
      case .renamedEntity(let name, let type): migrations.append(.renamed(name, to: type))
      case .renamedProperty(let name, let newName, let type):
        migrations.append(.renamed(name, to: newName, in: type))
      case .step(let operations):
        version += 1
        if place < list.count {
          migrations.append(
            Migration(from: version - 1, to: version) { _, _ in throw Mismatch("it runs twice") })
          continue
        }
        let throwsAtEnd = throwing && !entries[(place + 1)...].contains { !$0.isRenaming }
        // Renamings have no code that could change the model: those before are taken over when the step begins.
        let renamings = Array(entries[list.count..<place].reversed().prefix { $0.isRenaming }.reversed())
        let first = place - renamings.count
        migrations.append(
          Migration(from: version - 1, to: version) { old, tx in
            var before = progress.model
            for (index, renaming) in renamings.enumerated() {
              let isTaken = Self.apply(renaming, before: entries[(first + index + 1)...], &before)
              try require(isTaken, "\(renaming) is not refused")
            }
            progress.begin(place, before)
            try before.check(old, "at the beginning of step \(place)")
            for operation in operations {
              var model = progress.model
              let accepts = model.accepts(operation, old: before)
              let isTaken = try operation.apply(old, &tx, oldModel: before)
              progress.advance(to: model, "  \(operation)\(isTaken ? "" : ", refused")")
              try require(
                accepts == nil || accepts == isTaken, "\(operation) is \(isTaken ? "taken" : "refused")")
              if isTaken { model.apply(operation, old: before) }
              progress.advance(to: model, "")
            }
            try before.check(old, "at the end of step \(place)")
            if throwsAtEnd { throw Thrown() }
          })
      }
    }
    return migrations
  }

  /// Does to a model what a renaming does that stands before others; false if it has to be refused.
  private static func apply(_ entry: Entry, before later: ArraySlice<Entry>, _ model: inout MigrationModel)
    -> Bool
  {
    switch entry {
    case .step: return true
    case .renamedEntity(let name, let type):
      guard let objects = model.entities[name], !objects.isEmpty else { return true }
      // The name of the type today, or that from which a later entry renames it.
      var newName = "\(type)"
      for case .renamedEntity(let next, let other) in later where other == type {
        if next != name { newName = next }
        break
      }
      guard (model.entities[newName] ?? []).isEmpty else { return false }
      model.entities[newName] = model.entities.removeValue(forKey: name)
    case .renamedProperty(let name, let newName, let type):
      let entity = self.name("\(type)", before: later, model)
      guard name != newName, model.properties(entity).contains(name) else { return true }
      if model.properties(entity).contains(newName) { return false }
      let old = model
      model.apply(.renameProperty(name, to: newName, of: entity), old: old)
    }
    return true
  }

  /// The name that an entity has before some entries, one of which may give it that of today.
  private static func name(_ entity: String, before later: ArraySlice<Entry>, _ model: MigrationModel)
    -> String
  {
    for (place, entry) in zip(later.indices, later) {
      guard case .renamedEntity(let name, let type) = entry, "\(type)" == entity else { continue }
      let earlier = self.name(name, before: later[..<place], model)
      if !(model.entities[earlier] ?? []).isEmpty { return earlier }
    }
    return entity
  }

  /// Opens the file with a list that lacks a renaming.
  private mutating func refuseOlder(_ naming: CellNaming) async throws {
    let places = list.indices.filter { list[$0].isRenaming }
    guard !places.isEmpty, random.chance(1, in: 3) else { return }
    var older = self
    older.list.remove(at: random.pick(places))
    log.append("open \(naming) with an older list")
    let before = try folder.bytes()
    do {
      let options = sealing.options(older.migrations([], throwing: false, Progress(model)))
      try await naming.open(at: folder.file, options).close()
    } catch let error as StoreFileError where error.code == .newerSchema {
      return try require(try folder.bytes() == before, "the file is another one than before")
    }
    throw Mismatch("it is not refused")
  }

  /// One opening, with what is written until the file is closed.
  private mutating func session(_ naming: CellNaming, adding entries: [Entry]) async throws {
    let steps = entries.count { !$0.isRenaming }
    let throwing = isWritten && steps > 0 && random.chance(1, in: 8)
    let progress = Progress(model)
    let migrations = migrations(entries, throwing: throwing, progress)
    let before = try? folder.bytes()
    log.append("open \(naming)\(throwing ? ", the last step throws" : "")")
    for (index, entry) in entries.enumerated() {
      if case .step = entry {
        log.append("  \(list.count + index): a step")
      } else {
        log.append("  \(list.count + index): \(entry)")
      }
    }
    // Renamings behind the last step that has run, up to one that has to be refused.
    func rest(_ model: inout MigrationModel) -> Bool {
      guard isWritten else { return true }
      var first = 0
      if let last = progress.lastStep { first = last - list.count + 1 }
      for index in entries.indices.dropFirst(first) {
        guard entries[index].isRenaming else { return true }
        if !Self.apply(entries[index], before: entries[(index + 1)...], &model) { return false }
      }
      return true
    }
    let file: StoreFile
    var (next, isRenamed) = (model, true)
    do {
      file = try await naming.open(at: folder.file, sealing.options(migrations))
      next = progress.model
      isRenamed = rest(&next)
    } catch {
      log += progress.log.filter { !$0.isEmpty }
      next = progress.model
      isRenamed = rest(&next)
      if error is Thrown {
        try require(throwing, "a step throws")
      } else if !isRenamed {
        try require((error as? StoreFileError)?.code == .invalidMigration, "\(error)")
      } else {
        try require(!throwing && !next.isValid(naming.names), "it is refused: \(error)")
        try requireRule(error)
      }
      log.append("refused: \(error)")
      try require(try folder.bytes() == before, "the file is another one than before")
      return
    }
    log += progress.log.filter { !$0.isEmpty }
    try require(isWritten || progress.log.isEmpty, "a step was run")
    try require(!throwing && isRenamed && next.isValid(naming.names), "it is not refused")
    (model, version) = (next, version + steps)
    list += entries
    try await use(file, naming, records: entries.contains(where: \.isRenaming))
  }

  private func requireRule(_ error: any Error) throws {
    let codes = [StoreError.uniqueViolation, StoreError.duplicateID]
    try require((error as? StoreError).map { codes.contains($0.code) } == true, "it is refused: \(error)")
  }

  /// Compares, writes, reads again and closes.
  ///
  /// - Parameter records: whether something has to be written, so that the file records what it has passed.
  private mutating func use(_ file: StoreFile, _ naming: CellNaming, records: Bool) async throws {
    for type in naming.types { try check(type, file.store.snapshot(), "opened") }
    var isRecorded = !records
    for _ in 0..<random.int(0...2) {
      var (edits, next) = ([Edit](), model)
      for type in naming.types { edits += self.edits(type, &next) }
      guard next.isValid(naming.names) else { continue }
      log.append("write \(edits.count) changes")
      try await file.write { [edits] tx in for edit in edits { try edit.apply(&tx) } }
      // An object that is inserted and deleted again is not written.
      let hasChanged = naming.names.contains { (next.entities[$0] ?? []) != (model.entities[$0] ?? []) }
      model = next
      isWritten = isWritten || hasChanged
      isRecorded = isRecorded || hasChanged
    }
    if !isRecorded { try await file.changeKey(to: sealing.key) }
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
  private mutating func edits<Element: Celled>(_ type: Element.Type, _ model: inout MigrationModel) -> [Edit]
  {
    let name = "\(type)"
    var edits: [Edit] = []
    var objects = model.entities[name] ?? []
    let before = objects
    var deleted: Set<Int> = []
    for _ in 0..<(random.chance(1, in: 12) ? 900 : random.int(0...12)) {
      if !objects.isEmpty, random.chance(1, in: 4) {
        let index = random.int(0...objects.count - 1)
        let id = objects.remove(at: index).id
        edits.append(.delete(type, id))
        deleted.insert(id)
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
    // What is as it was is not written, and keeps the values of properties that the type does not have. An object that
    // was deleted and inserted again has another place.
    for old in before where !deleted.contains(old.id) {
      let cells = old.cells.filter { Element.properties.contains($0.key) }
      if let index = objects.firstIndex(of: MigrationModel.Object(id: old.id, cells: cells)) {
        objects[index] = old
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
