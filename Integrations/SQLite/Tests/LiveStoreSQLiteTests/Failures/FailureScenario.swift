import CrashScenario
import Crypto
import FailingCalls
import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport

/// A file that is made, written, migrated, backed up, encrypted, compacted, repaired, copied, exported and removed, while
/// calls to the file system fail.
///
/// A step that fails is judged, with nothing armed: its error says so, and the file has all that was acknowledged, and
/// nothing else. Then the step is done again, and succeeds.
final class FailureScenario {
  private let folder: Folder
  private let fault: Fault
  private var file: StoreFile?
  /// The last transaction that is in the store, and the last that is known to be in the file.
  private var (written, acknowledged) = (0, 0)
  private var revision = 1
  /// Whether a file may be of the revision before.
  private var isMigrating = false
  private var keys: [SymmetricKey?] = [nil]
  /// The entries that a repair has left out.
  private var lost: Set<Int> = []
  private var hasDamagedCopy = false
  /// What the backup has: the one that is there, and the one that is made.
  private var backups: [(step: Int, lost: Set<Int>, key: SymmetricKey?)] = []
  /// The steps that failed, with their errors.
  private(set) var failures: [String] = []

  init(_ fault: Fault, _ folder: Folder) { (self.fault, self.folder) = (fault, folder) }

  private var backup: URL { folder.url.appendingPathComponent("backup.db") }
  private var copy: URL { folder.url.appendingPathComponent("copy.db") }
  private var lines: URL { folder.url.appendingPathComponent("lines") }

  func run() async throws {
    try await open("making the file")
    for _ in 1...3 { try await write() }
    try await backUp()
    try await close()
    (revision, isMigrating) = (2, true)
    try await open("migrating")
    isMigrating = false
    try await write()
    try await changeKey(to: SymmetricKey(data: Data(repeating: 7, count: 32)))
    try await write()
    try await backUp()
    try await compact()
    try await close()
    try await FailingCalls.pausing { try await damage(2) }
    try await repair()
    try await backUp()
    try await write()
    try await export()
    try await close()
    try await openSeeded()
    try await write()
    try await close()
    try await seed()
    try await step("removing") { try StoreFile.remove(at: copy) }
    try requireTidy("removing", copy)
    FailingCalls.disarm()
    try await check("at the end", isOwner: true)
  }

  // MARK: Steps

  /// Runs a step, again if it fails.
  private func step(
    _ place: String, judging: (StoreFileError) async throws -> Void = { _ in },
    _ body: () async throws -> Void
  ) async throws {
    do {
      return try await body()
    } catch {
      FailingCalls.disarm()
      failures.append("\(place): \(error)")
      guard let error = error as? StoreFileError else {
        throw Mismatch("\(place) throws \(type(of: error)): \(error)")
      }
      try requireSentence(error, place)
      try await judging(error)
      try await check("after \(place) failed", isOwner: false)
    }
    do {
      try await body()
    } catch {
      throw Mismatch("\(place) fails again: \(error), at first \(failures.last ?? "")")
    }
  }

  private func requireSentence(_ error: StoreFileError, _ place: String) throws {
    // SQLite takes what the device cannot read for damage. A file that stays so can be repaired.
    // Of some pages it does not say why they cannot be read.
    let isDamage =
      error.code == .damaged
      && (fault == .badSector || fault == .read && error.message.contains("failed to get page"))
    try require(error.code == .ioFailed || isDamage, "\(place): \(error)")
    try require(
      error.message.hasSuffix(".") && !error.message.contains("not an error"), "\(place): \(error)")
    if isDamage { return }
    try require(error.message.contains(folder.url.path), "\(place) names no file: \(error)")
    if fault == .full {
      try require(
        error.message.contains("no room") || error.message.contains("No space left"), "\(place): \(error)")
    }
  }

  private var options: StoreFile.Options {
    .init(
      key: keys.last ?? nil, migrations: CrashMigrations.through(revision), retryDelay: .microseconds(1))
  }

  private func open(_ place: String) async throws {
    try await step(place) {
      file = try await StoreFile.open(at: folder.file, Entry.self, Position.self, options: options)
    }
    try requireTidy(place, folder.file)
  }

  private func opened() throws -> StoreFile {
    guard let file else { throw Mismatch("the file is not open") }
    return file
  }

  private func write() async throws {
    let file = try opened()
    let (number, revision) = (written + 1, revision)
    try await file.store.write { tx in
      // Some do not fit into a page.
      let text = String(repeating: "\(number) ", count: number % 2 == 0 ? 3_000 : 30)
      try tx.insert(Entry(id: number, step: number, text: text, revision: revision))
      try tx.upsert(Position(id: 0, step: number, revision: revision))
    }
    written = number
    try await step("writing \(number)") { try await file.durable(through: file.store.version) }
    acknowledged = number
  }

  private func close() async throws {
    let file = try opened()
    try await step("closing") { try await file.close() }
    self.file = nil
    if fault != .remove { try requireTidy("closing", folder.file) }
  }

  private func compact() async throws {
    let file = try opened()
    try await step("compacting") { try await file.compact() }
    try requireTidy("compacting", folder.file)
  }

  private func backUp() async throws {
    let file = try opened()
    backups = backups.suffix(1) + [(written, lost, keys.last ?? nil)]
    let hadOne = backups.count > 1
    try await step("backing up") { error in
      if hadOne || FileManager.default.fileExists(atPath: self.backup.path) {
        try await self.requireBackup("after a backup failed")
      }
    } _: {
      try await file.backup(to: backup)
    }
    backups = backups.suffix(1)
    try await FailingCalls.pausing { try await requireBackup("a backup") }
    try requireTidy("backing up", backup)
  }

  private func changeKey(to key: SymmetricKey?) async throws {
    let file = try opened()
    let before = keys
    keys += [key]
    try await step("changing the key") { error in
      let isChanged = error.message.contains("The key was changed")
      try require(
        isChanged || error.message.contains("The key was not changed"),
        "\(error) does not say which key it is")
      // That key, and not the other one.
      let (right, wrong) = isChanged ? ([key], before) : (before, [key])
      _ = try await self.read(self.folder.file, right)
      do {
        _ = try await self.read(self.folder.file, wrong)
        throw Mismatch("the file opens with the key that it has not: \(error)")
      } catch let error as StoreFileError where error.code == .wrongKey {}
    } _: {
      try await file.changeKey(to: key)
    }
    keys = [key]
  }

  private func repair() async throws {
    var options = options
    options.repair = .skipDamagedRows
    try await step("repairing") {
      let file = try await StoreFile.open(at: folder.file, Entry.self, Position.self, options: options)
      self.file = file
    }
    let file = try opened()
    let there = Set(file.store.fetch(Entry.all).map(\.id))
    let missing = Set(1...written).subtracting(there)
    try require(missing.contains(2), "the repair keeps a row that is damaged")
    // A row that could not be read is missing, and the list says so.
    let listed = file.damagedRows.filter { $0.table == "Entry" }
    for id in missing {
      let isListed = listed.contains { $0.row.map { $0 == Int64(id) } ?? true }
      try require(isListed, "\(id) is missing, listed are \(file.damagedRows)")
    }
    lost = missing
    hasDamagedCopy = true
    let isKept = try folder.names.contains("app.db-damaged")
    try require(isKept, "the damaged file is not kept")
    try requireTidy("repairing", folder.file)
    try await FailingCalls.pausing { try await check("repaired", isOwner: false) }
  }

  /// A file that is there is no copy of another.
  private func openSeeded() async throws {
    try await step("opening with a seed") {
      let file = try await StoreFile.open(
        at: folder.file, Entry.self, Position.self, seededFrom: backup, options: options)
      self.file = file
    }
    let file = try opened()
    try requireContent(file.store, "opened with a seed", steps: written...written, [lost])
    try requireTidy("opening with a seed", folder.file)
  }

  private func seed() async throws {
    var file: StoreFile?
    try await step("copying") {
      file = try await StoreFile.open(
        at: copy, Entry.self, Position.self, seededFrom: backup, options: options)
    }
    guard let file else { throw Mismatch("the copy is not open") }
    let last = backups[0]
    try requireContent(file.store, "a copy", steps: last.step...last.step, [last.lost])
    try requireTidy("copying", copy)
    try await step("closing a copy") { try await file.close() }
  }

  private func export() async throws {
    let file = try opened()
    try await step("exporting") { try await file.exportJSON(to: lines) }
    try await FailingCalls.pausing {
      let text = try String(contentsOf: lines.appendingPathComponent("Entry.ndjson"), encoding: .utf8)
      try require(text.utf8.count { $0 == 0x0A } == written - lost.count, "the export has other lines")
      let names = try FileManager.default.contentsOfDirectory(atPath: lines.path).sorted()
      if fault != .remove {
        try require(names == ["Entry.ndjson", "Position.ndjson"], "the export leaves \(names)")
      }
    }
  }

  /// Another program changes the row of an entry.
  private func damage(_ id: Int) async throws {
    let queue = try DatabaseQueue(path: folder.file.path)
    try await queue.writeWithoutTransaction { db in
      try db.execute(sql: "UPDATE Entry SET _sealed = x'00' WHERE _place = \(id)")
      try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
    try queue.close()
    lost = [id]
  }

  // MARK: What holds

  /// The files that belong to one, beside it: nothing is left of what was not completed.
  private func requireTidy(_ place: String, _ url: URL) throws {
    let name = url.lastPathComponent
    let names = try folder.names.filter { $0.hasPrefix(name) }
    var allowed = Set(["", "-owner", "-wal", "-shm"].map { name + $0 })
    if hasDamagedCopy, name == "app.db" { allowed.formUnion(["app.db-damaged", "app.db-damaged-wal"]) }
    let others = names.filter { !allowed.contains($0) }
    // What cannot be removed stays.
    if fault == .remove, !failures.isEmpty { return }
    try require(others.isEmpty, "\(place) leaves \(others), with failures \(failures)")
  }

  /// Throws unless the next opening has what was acknowledged.
  private func check(_ place: String, isOwner: Bool) async throws {
    guard acknowledged > 0 else { return }
    let isRepairing = !lost.isEmpty && !hasDamagedCopy
    if isRepairing {
      // It is damaged until the repair succeeds.
      return
    }
    let store = try await read(folder.file, keys, isOwner: isOwner)
    try requireContent(store, place, steps: acknowledged...written, [lost])
  }

  private func requireBackup(_ place: String) async throws {
    let store = try await read(backup, backups.map(\.key), revisions: [revision, revision - 1])
    let steps = backups.map(\.step)
    guard let least = steps.min(), let most = steps.max() else { return }
    try requireContent(store, place, steps: least...most, backups.map(\.lost))
  }

  /// Reads a file with one of some keys.
  private func read(
    _ url: URL, _ keys: [SymmetricKey?], isOwner: Bool = false, revisions: [Int]? = nil
  ) async throws -> Store {
    var last: StoreFileError?
    for key in keys {
      for revision in revisions ?? (isMigrating ? [revision, revision - 1] : [revision]) {
        do {
          let file = try await StoreFile.open(
            at: url, Entry.self, Position.self,
            options: .init(
              key: key, migrations: CrashMigrations.through(revision), isReadOnly: !isOwner))
          try await file.close()
          return file.store
        } catch let error as StoreFileError
          where [.wrongKey, .migrationNeeded, .newerSchema].contains(error.code)
        {
          last = error
        }
      }
    }
    throw last ?? Mismatch("no key")
  }

  private func requireContent(
    _ store: Store, _ place: String, steps: ClosedRange<Int>, _ lost: [Set<Int>]
  ) throws {
    let step = store.snapshot()[Position.self, 0]?.step ?? 0
    try require(steps.contains(step), "\(place): it has \(step), and \(steps) was acknowledged and written")
    let entries = Array(store.fetch(Entry.all))
    let ids = entries.map(\.id)
    let isWhole = lost.contains { lost in
      ids == (step == 0 ? [] : Array(1...step)).filter { !lost.contains($0) }
    }
    try require(isWhole, "\(place): \(step) has \(ids), lost are \(lost)")
    let revisions = Set(entries.map(\.revision))
    try require(revisions.count <= 1, "\(place): the file is migrated in part")
    for entry in entries {
      let text = String(repeating: "\(entry.id) ", count: entry.id % 2 == 0 ? 3_000 : 30)
      try require(
        entry.text == text && entry.step == entry.id, "\(place): \(entry.id) is not as it was written")
    }
  }
}
