import Crypto
import Foundation
import LiveStore
import LiveStoreObservation
import LiveStoreSQLite
import SQLiteTestSupport

/// A file beside a model, and what happens to both.
struct FileHistory {
  private let folder: Folder
  private var random: SplitMix64
  private var transactions: RandomTransactions
  private var model = Model()
  private var key: SymmetricKey?
  /// A reader that stays open, and what it has.
  private var reader: (file: StoreFile, naming: Naming, model: Model)?
  /// Whether the file was released and not closed, so that it may still be in use.
  private var isReleased = false
  private(set) var commits = 0
  private(set) var openings = 0
  private(set) var log: [String] = []

  init(_ seed: UInt64) throws {
    folder = try Folder()
    random = SplitMix64(seed: seed)
    transactions = RandomTransactions(random.fork())
    if random.chance(1, in: 2) { key = makeKey() }
  }

  /// While a file is open.
  private struct Session {
    let file: StoreFile
    let naming: Naming
    let stack: UndoStack
    var undo: [Model] = []
    var redo: [Model] = []
    /// The models since the file was opened.
    var versions: [(version: Version, model: Model)]
  }

  private mutating func makeKey() -> SymmetricKey {
    let count = random.pick([16, 24, 32])
    return SymmetricKey(data: Data((0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() >> 9) }))
  }

  mutating func run() async throws {
    for _ in 0..<random.int(4...8) { try await session() }
    log.append("last opening")
    let file = try await open(.all)
    try model.check(file.store, .all, "last opening")
    try checkReader()
    try await file.close()
  }

  private mutating func session() async throws {
    let naming = random.chance(1, in: 2) ? .all : random.pick(Naming.allCases)
    log.append("open \(naming)")
    let file = try await open(naming)
    try model.check(file.store, naming, "opening")
    try require(file.damagedRows.isEmpty, "opening: damaged rows \(file.damagedRows)")
    try require(file.durableVersion == file.store.version, "opening: the version is not durable")
    var session = Session(
      file: file, naming: naming,
      stack: UndoStack(file.store, recording: .everything(except: []), merging: .zero),
      versions: [(file.store.version, model)])
    for _ in 0..<random.int(0...9) {
      switch random.int(0...10) {
      case 10: try await changeKey(session)
      case 0: try await checkDurable(session)
      case 1: try await checkReading(session)
      case 2: try await undo(&session)
      case 3...4:
        for _ in 0..<random.int(2...12) { try await write(&session) }
      default: try await write(&session)
      }
      try model.check(file.store, naming, "in memory")
    }
    isReleased = random.chance(1, in: 3)
    log.append(isReleased ? "release" : "close")
    if !isReleased {
      try await file.close()
      try require(!FileManager.default.fileExists(atPath: folder.file.path + "-wal"), "closing leaves a log")
    }
    withExtendedLifetime(file) {}
  }

  /// Opens the file, as soon as it has no owner.
  private mutating func open(_ naming: Naming) async throws -> StoreFile {
    openings += 1
    while true {
      do {
        return try await naming.open(at: folder.file, .init(key: key))
      } catch let error as StoreFileError where error.code == .inUse && isReleased {
        try await waitForOwner()
      }
    }
  }

  /// Changes the key, while what was committed before may still be on its way to the file.
  private mutating func changeKey(_ session: Session) async throws {
    let old = key
    key = random.chance(1, in: 3) ? nil : makeKey()
    log.append("change the key from \(old?.bitCount ?? 0) bits to \(key?.bitCount ?? 0)")
    do {
      try await session.file.changeKey(to: key)
    } catch let error as StoreFileError {
      // A reader is in the way of nothing but the removal of what was stored before.
      try require(error.message.contains("The key was changed") && reader != nil, "\(error)")
    }
    do {
      _ = try await Naming.all.open(at: folder.file, .init(key: makeKey(), isReadOnly: true))
    } catch let error as StoreFileError where error.code == .wrongKey {
      return
    }
    throw Mismatch("the file opens with another key than its own")
  }

  // MARK: Writing

  private mutating func write(_ session: inout Session) async throws {
    var next = model
    let steps = transactions.transaction(&next, session.naming)
    let fails = random.chance(1, in: 8)
    let waits = random.chance(1, in: 3)
    log.append(
      (["write"] + (fails ? ["failing"] : []) + (waits ? ["waiting"] : []) + steps.map(\.text))
        .joined(separator: ", "))
    let body: @Sendable (inout WriteTransaction) throws -> Void = { tx in
      for step in steps { try step.apply(&tx) }
      if fails { throw Refused() }
    }
    let before = session.file.store.version
    do {
      if waits {
        try await session.file.write(body)
        try require(session.file.durableVersion == session.file.store.version, "write did not wait")
      } else {
        try await session.file.store.write(body)
      }
    } catch is Refused where fails {
      next = model
    } catch let error as StoreError {
      try require(!next.isValid && !fails, "the transaction was refused: \(error)")
      next = model
    }
    try require(next.isValid, "a transaction that breaks a rule was not refused")
    let isSame = next == model
    try require((session.file.store.version == before) == isSame, "a version where nothing changes, or none")
    if isSame { return }
    session.undo.append(model)
    session.redo = []
    commit(next, &session)
  }

  private mutating func commit(_ next: Model, _ session: inout Session) {
    commits += 1
    model = next
    session.versions.append((session.file.store.version, next))
  }

  /// Undoes a few transactions, which puts objects back in their places, and redoes some of them.
  private mutating func undo(_ session: inout Session) async throws {
    for _ in 0..<random.int(1...4) {
      if random.chance(2, in: 3) {
        guard let before = session.undo.popLast() else { continue }
        log.append("undo")
        try await session.stack.undo()
        session.redo.append(model)
        commit(before, &session)
      } else {
        guard let after = session.redo.popLast() else { continue }
        log.append("redo")
        try await session.stack.redo()
        session.undo.append(model)
        commit(after, &session)
      }
    }
  }

  // MARK: Reading the file while it is open

  /// What is durable is what another reader, and what is left after a crash, has.
  private mutating func checkDurable(_ session: Session) async throws {
    let file = session.file
    try await file.durable(through: file.store.version)
    try require(file.durableVersion == file.store.version && file.metrics.lag == 0, "it is not durable")
    log.append("read what is durable")
    try checkReader()
    let naming = random.pick(Naming.allCases)
    let reading = try await naming.open(at: folder.file, .init(key: key, isReadOnly: true))
    try model.check(reading.store, naming, "read only")
    if random.chance(1, in: 3) { reader = (reading, naming, model) } else { try await reading.close() }

    log.append("copy what a crash leaves")
    let copy = try Folder()
    for suffix in ["", "-wal"] {
      let source = URL(filePath: folder.file.path + suffix)
      if FileManager.default.fileExists(atPath: source.path) {
        try FileManager.default.copyItem(at: source, to: URL(filePath: copy.file.path + suffix))
      }
    }
    let rest = try await Naming.all.open(at: copy.file, .init(key: key))
    try model.check(rest.store, .all, "after a crash")
    try await rest.close()
  }

  /// Without waiting, a reader has exactly one of the versions since the durable one.
  private mutating func checkReading(_ session: Session) async throws {
    let durable = session.file.durableVersion
    let naming = random.pick(Naming.allCases)
    log.append("read \(naming) while it is written")
    let reading = try await naming.open(at: folder.file, .init(key: key, isReadOnly: true))
    let found = Model(of: reading.store.snapshot(), naming)
    let candidates = session.versions.filter { $0.version >= durable }.map { $0.model.part(naming) }
    try require(!candidates.isEmpty, "\(durable) is none of the versions")
    if !candidates.contains(found) { try candidates.last?.checkSame(as: found, "read only, while written") }
    try await reading.close()
  }

  /// A reader that stays open has what it had.
  private mutating func checkReader() throws {
    guard let reader else { return }
    try reader.model.check(reader.file.store, reader.naming, "a reader that stayed open")
    if random.chance(1, in: 2) { self.reader = nil }
  }
}
