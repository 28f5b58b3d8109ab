import Crypto
import Foundation
import LiveStore
import LiveStoreSQLite
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Progress of a file's operations` {
  /// A folder with a file that was closed.
  static func made(key: SymmetricKey? = nil) async throws -> Folder {
    let folder = try Folder()
    let file = try await StoreFile.open(at: folder.file, Page.self, options: .init(key: key))
    try await file.write { tx in try tx.insert(contentsOf: Page.many) }
    try await file.close()
    return folder
  }

  static let open: ReportingOperation = { folder, progress in
    let file = try await StoreFile.open(at: folder.file, Page.self, options: .init(progress: progress))
    try await file.close()
  }

  static let migrate: ReportingOperation = { folder, progress in
    let migrations: [Migration] = [
      .added("weight", to: Page.self, default: 1),
      Migration(from: 1, to: 2) { old, tx in
        try tx.update("Page") { page in try page.set("note", to: page.value("text", as: String.self)) }
      },
    ]
    let options = StoreFile.Options(migrations: migrations, progress: progress)
    try await StoreFile.open(at: folder.file, Page.self, options: options).close()
  }

  /// Damages a row.
  static func damage(_ folder: Folder) throws {
    var bytes = try Data(contentsOf: folder.file)
    let place = try #require(bytes.range(of: Data("page 1234 ".utf8)))
    bytes[place.lowerBound] ^= 1
    try bytes.write(to: folder.file)
  }

  static let repair: ReportingOperation = { folder, progress in
    let options = StoreFile.Options(repair: .skipDamagedRows, progress: progress)
    let file = try await StoreFile.open(at: folder.file, Page.self, options: options)
    #expect(file.damagedRows.count == 1)
    try await file.close()
  }

  /// Damages the header.
  static func damageHeader(_ folder: Folder) throws {
    var bytes = try Data(contentsOf: folder.file)
    bytes[21] ^= 1
    try bytes.write(to: folder.file)
  }

  static let restoreHeader: ReportingOperation = { folder, progress in
    let options = StoreFile.Options(repair: .skipDamagedRows, progress: progress)
    let file = try await StoreFile.open(at: folder.file, Page.self, options: options)
    #expect(file.store.count(Page.all) == 4_000 && file.damagedRows.isEmpty)
    try await file.close()
  }

  static let key = SymmetricKey(size: .bits256)

  static let seed: ReportingOperation = { folder, progress in
    let copy = folder.url.appendingPathComponent("copy.db")
    let options = StoreFile.Options(key: key, progress: progress)
    try await StoreFile.open(at: copy, Page.self, seededFrom: folder.file, options: options).close()
  }

  static let backUp: ReportingOperation = { folder, progress in
    let file = try await StoreFile.open(at: folder.file, Page.self)
    let result = await Result { try await file.backup(to: folder.backup, progress: progress) }
    try await file.close()
    try result.get()
  }

  static let compact: ReportingOperation = { folder, progress in
    let file = try await StoreFile.open(at: folder.file, Shorter.Page.self)
    let result = await Result { try await file.compact(progress: progress) }
    try await file.close()
    try result.get()
  }

  static let changeKey: ReportingOperation = { folder, progress in
    let file = try await StoreFile.open(at: folder.file, Page.self)
    let result = await Result { try await file.changeKey(to: key, progress: progress) }
    try await file.close()
    try result.get()
  }

  static let export: ReportingOperation = { folder, progress in
    let file = try await StoreFile.open(at: folder.file, Page.self)
    let result = await Result { _ = try await file.exportJSON(to: folder.url, progress: progress) }
    try await file.close()
    try result.get()
  }

  // MARK: Figures

  @Test func `an opening reports the bytes that it checks and then the rows that it reads`() async throws {
    let reports = try await ProgressReports(of: Self.open, in: Self.made())
    reports.expect([.checkingPages, .reading])
    let reading = try #require(reports.phases.last?.reports)
    #expect(reading.count > 10 && reading.allSatisfy { $0.total == 4_000 && $0.unit == .rows })
    let checking = try #require(reports.phases.first?.reports)
    #expect(checking.count > 2 && checking.allSatisfy { $0.unit == .bytes && $0.total ?? 0 > 4_000_000 })
  }

  @Test func `migrations report the rows that they check and write, of an unknown number`() async throws {
    let reports = try await ProgressReports(of: Self.migrate, in: Self.made())
    reports.expect([.checkingPages, .migrating, .reading])
    let migrating = try #require(reports.phases.first { $0.phase == .migrating }?.reports)
    #expect(migrating.allSatisfy { $0.total == nil && $0.fraction == nil })
    // The rows are checked, written with the addition, copied for the step, and written by it.
    #expect(migrating.last?.done == 16_000 && migrating.count > 30, "\(migrating.map(\.done))")
  }

  @Test func `a repair reports the rows that it copies and checks, and the new file is opened`() async throws
  {
    let folder = try await Self.made()
    try Self.damage(folder)
    let reports = try await ProgressReports(of: Self.repair, in: folder)
    let phases: [StoreFile.Progress.Phase] = [
      .checkingPages, .reading, .repairing, .checkingRows, .checkingPages, .reading,
    ]
    #expect(reports.phases.map(\.phase) == phases)
    for (phase, reports) in reports.phases {
      let amounts = reports.map(\.done)
      #expect(amounts.first == 0 && amounts == amounts.sorted(), "\(phase): \(amounts)")
    }
    #expect(reports.phases[1].reports.last?.done ?? 0 < 4_000, "what is damaged is not read to its end")
    #expect(reports.phases[2].reports.count > 10 && reports.phases[2].reports.last?.done == 4_000)
    #expect(reports.phases[3].reports.last?.done == 3_999)
    #expect(reports.phases[5].reports.last?.done == 3_999)
  }

  @Test func `a file that begins as a copy and is encrypted reports all that is done for it`() async throws {
    let reports = try await ProgressReports(of: Self.seed, in: Self.made())
    reports.expect([.copying, .checkingPages, .writing, .compacting, .checkingPages, .reading])
    #expect(reports.phases[0].reports.count > 4)
  }

  @Test func `a backup reports the bytes that it copies`() async throws {
    let reports = try await ProgressReports(of: Self.backUp, in: Self.made())
    reports.expect([.copying])
    #expect(reports.all.count > 10 && reports.all.allSatisfy { $0.unit == .bytes })
    let middle = reports.all[reports.all.count / 2]
    #expect(0.25...0.75 ~= middle.fraction ?? 0, "\(reports.all.map(\.done))")
  }

  @Test func `a compaction reports the rows without lost columns, and the bytes that it writes`() async throws
  {
    let folder = try await Self.made()
    let file = try await StoreFile.open(at: folder.file, Shorter.Page.self)
    try await file.write { tx in try tx.delete(Shorter.Page.where { $0.id < 2_000 }) }
    try await file.close()
    let reports = try await ProgressReports(of: Self.compact, in: folder)
    reports.expect([.writing, .compacting])
    #expect(reports.phases[0].reports.last?.total == 2_000)
    #expect(reports.phases[1].reports.count > 4)
  }

  @Test func `a change of the key reports the rows that it writes, and those that it overwrites`()
    async throws
  {
    let reports = try await ProgressReports(of: Self.changeKey, in: Self.made())
    reports.expect([.writing, .overwriting])
    #expect(reports.phases[0].reports.count > 10 && reports.phases[0].reports.last?.total == 4_000)
  }

  @Test func `an export and an import report objects and bytes`() async throws {
    let folder = try await Self.made()
    try await ProgressReports(of: Self.export, in: folder).expect([.writing])
    let reports = try await ProgressReports(
      of: { folder, progress in
        let file = try await StoreFile.open(at: folder.file, Page.self)
        #expect(try await file.importJSON(from: folder.url, progress: progress) == 4_000)
        try await file.close()
      }, in: folder)
    reports.expect([.reading])
    #expect(reports.all.count > 10 && reports.all.allSatisfy { $0.unit == .bytes })
  }

  @Test func `between the beginning and the end of a phase, there are ten reports a second at the most`()
    async throws
  {
    let folder = try await Self.made()
    let count = Mutex(0)
    let clock = ContinuousClock()
    let time = try await clock.measure {
      let options = StoreFile.Options(progress: { _ in count.withLock { $0 += 1 } })
      try await StoreFile.open(at: folder.file, Page.self, options: options).close()
    }
    let most = 4 + Int(time / .milliseconds(100))
    #expect(4...most ~= count.withLock { $0 })
  }

  // MARK: Cancellation

  /// Cancels an operation at each of its phases; what it leaves must be what was there.
  private func cancel(
    _ operation: @escaping ReportingOperation, in original: Folder,
    completesIn last: [StoreFile.Progress.Phase] = [],
    _ check: (_ folder: Folder, _ report: StoreFile.Progress) async throws -> Void
  ) async throws {
    let all = try await ProgressReports(of: operation, in: original.copy())
    for place in all.places where place < all.all.count - 1 {
      let folder = try original.copy()
      let reports = try await ProgressReports(of: operation, in: folder, cancelledAt: place)
      let report = all.all[place]
      // The last report of a phase comes when it is complete.
      let isComplete =
        last.contains(report.phase) || report.done == report.total && last.contains(all.all[place + 1].phase)
      #expect(reports.isCancelled != isComplete, "\(report)")
      if reports.isCancelled {
        #expect(reports.all.count <= place + 2, "it goes on after \(report)")
        try await check(folder, report)
      }
    }
  }

  private func expectSame(_ folder: Folder, _ original: Folder, _ report: StoreFile.Progress) throws {
    let (new, old) = (try folder.contents, try original.contents)
    #expect(new.keys.sorted() == old.keys.sorted(), "\(report)")
    for (name, data) in old { #expect(new[name] == data, "\(name) after \(report)") }
  }

  @Test func `an opening that is cancelled at any phase leaves the folder as it was`() async throws {
    let folder = try await Self.made()
    try await cancel(Self.open, in: folder) { copy, report in
      try expectSame(copy, folder, report)
      try await Self.open(copy) { _ in }
    }
  }

  @Test func `migrations that are cancelled at any phase leave the folder as it was`() async throws {
    let folder = try await Self.made()
    try await cancel(Self.migrate, in: folder) { copy, report in
      try expectSame(copy, folder, report)
      try await Self.migrate(copy) { _ in }
    }
  }

  /// A statement that is interrupted ends its transaction: what a step went on to write would be written by itself.
  @Test func `a step that catches the cancellation and goes on leaves the folder as it was`() async throws {
    let folder = try await Self.made()
    let operation: ReportingOperation = { folder, progress in
      let step = Migration(from: 1, to: 2) { old, tx in
        for number in 0..<5 {
          try? tx.update("Page") { page in try page.set("text", to: "\(number)") }
        }
      }
      let options = StoreFile.Options(migrations: [step], progress: progress)
      try await StoreFile.open(at: folder.file, Page.self, options: options).close()
    }
    try await cancel(operation, in: folder) { copy, report in
      try expectSame(copy, folder, report)
      try await Self.open(copy) { _ in }
    }
  }

  @Test func `a repair that is cancelled leaves the damaged file as it was, or the new one`() async throws {
    let folder = try await Self.made()
    try Self.damage(folder)
    var isRepaired = false
    let names = try folder.names
    try await cancel(Self.repair, in: folder) { copy, report in
      if try copy.names == names {
        #expect(!isRepaired, "\(report)")
        try expectSame(copy, folder, report)
      } else {
        // The repair was complete; the new file was read.
        isRepaired = true
        #expect([.checkingPages, .reading].contains(report.phase))
        #expect(try copy.names == ["app.db", "app.db-damaged", "app.db-owner"])
      }
      try await Self.repair(copy) { _ in }
    }
    #expect(isRepaired)
  }

  /// Bug: nothing was reported while the file was copied, and a cancelled task copied it to the end.
  @Test func `a repair of the header reports the bytes that it copies, and is cancelled at any phase`()
    async throws
  {
    let folder = try await Self.made()
    try Self.damageHeader(folder)
    let reports = try await ProgressReports(of: Self.restoreHeader, in: folder.copy())
    reports.expect([.copying, .checkingPages, .reading])
    #expect(reports.phases[0].reports.count > 3)
    try await cancel(Self.restoreHeader, in: folder) { copy, report in
      if report.phase == .copying {
        try expectSame(copy, folder, report)
      } else {
        #expect(try copy.names == ["app.db", "app.db-damaged", "app.db-owner"], "\(report)")
      }
      try await Self.restoreHeader(copy) { _ in }
    }
  }

  @Test func `a copy that is cancelled at any phase leaves no file`() async throws {
    let folder = try await Self.made()
    try await cancel(Self.seed, in: folder) { copy, report in
      #expect(try copy.contents["app.db"] == folder.contents["app.db"])
      #expect(try copy.names.filter { $0.hasPrefix("copy.db") && $0 != "copy.db-owner" } == [], "\(report)")
      try await Self.seed(copy) { _ in }
    }
  }

  @Test func `a backup that is cancelled leaves what had the name`() async throws {
    let folder = try await Self.made()
    try await Self.backUp(folder) { _ in }
    let file = try await StoreFile.open(at: folder.file, Page.self)
    try await file.write { tx in try tx.delete(Page.self, 7) }
    try await file.close()
    try await cancel(Self.backUp, in: folder) { copy, report in
      #expect(try copy.names == folder.names)
      #expect(try copy.contents["backup.db"] == folder.contents["backup.db"], "\(report)")
      try await Self.backUp(copy) { _ in }
    }
  }

  @Test func `a compaction that is cancelled leaves the same objects`() async throws {
    let folder = try await Self.made()
    try await cancel(Self.compact, in: folder) { copy, report in
      #expect(try copy.names == folder.names, "\(report)")
      let file = try await StoreFile.open(at: copy.file, Shorter.Page.self)
      #expect(file.store.fetch(Shorter.Page.all).map(\.text) == Page.many.map(\.text))
      try await file.close()
      try await Self.compact(copy) { _ in }
    }
  }

  @Test
  func `a change of the key that is cancelled leaves the old one, and goes on once the file has the new one`()
    async throws
  {
    let folder = try await Self.made()
    try await cancel(Self.changeKey, in: folder, completesIn: [.overwriting]) { copy, report in
      #expect(report.phase == .writing)
      #expect(try copy.names == folder.names)
      let file = try await StoreFile.open(at: copy.file, Page.self)
      #expect(Array(file.store.fetch(Page.all)) == Page.many)
      try await file.close()
      try await Self.changeKey(copy) { _ in }
      #expect(try Data(contentsOf: copy.file).range(of: Data("page 1".utf8)) == nil)
    }
  }

  @Test func `an export that is cancelled leaves no files`() async throws {
    let folder = try await Self.made()
    let names = try folder.names
    try await cancel(Self.export, in: folder) { copy, report in
      let left = try copy.names
      #expect(left == names, "\(report)")
    }
  }
}

extension Folder {
  fileprivate var backup: URL { url.appendingPathComponent("backup.db") }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
