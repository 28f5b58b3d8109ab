import Crypto
import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct `The owner of a file` {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func open(
    _ url: URL? = nil, _ options: StoreFile.Options = .init()
  ) async throws -> StoreFile {
    try await StoreFile.open(at: url ?? folder.file, Count.self, options: options)
  }

  private func ids(_ url: URL? = nil, _ options: StoreFile.Options = .init()) async throws -> [Int] {
    let file = try await open(url, options)
    let ids = file.store.fetch(Count.all).map(\.id)
    try await file.close()
    return ids
  }

  private func insert(_ id: Int, _ file: StoreFile) async throws {
    try await file.write { tx in try tx.insert(Count(id: id, value: id)) }
  }

  /// A symbolic link to the file, in a folder of its own that is one, too.
  private func makeLink(_ name: String = "link.db") throws -> URL {
    let files = FileManager.default
    let links = folder.url.appendingPathComponent("links")
    try files.createDirectory(at: links, withIntermediateDirectories: true)
    try files.createSymbolicLink(
      atPath: links.path + "/" + name, withDestinationPath: "../app.db")
    let linked = folder.url.appendingPathComponent("linked")
    try files.createSymbolicLink(at: linked, withDestinationURL: links)
    return URL(fileURLWithPath: linked.path + "/" + name)
  }

  /// Bug: paths were cut by Characters, and a slash with a mark behind it is another one: the link led elsewhere, so that
  /// the file had a second owner.
  @Test(arguments: ["\u{301}link.db", "\u{200D}link.db", "\u{FE0F}"])
  func `a file is found by a link whose name begins with a mark`(name: String) async throws {
    let file = try await open()
    try await insert(1, file)
    let link = try makeLink(name)
    let error = await #expect(throws: StoreFileError.self) { try await open(link) }
    #expect(error?.code == .inUse, "\(String(describing: error))")
    try await file.close()
    #expect(try await ids(link) == [1])
  }

  /// Bug: the file of the lock was opened through a symbolic link, and what that led to was cut off, and marked.
  @Test func `the lock of a file is no link, and nothing is written through one`() async throws {
    let secret = folder.url.appendingPathComponent("secret")
    try Data("secret".utf8).write(to: secret)
    try FileManager.default.createSymbolicLink(
      atPath: folder.file.path + "-owner", withDestinationPath: "secret")
    let error = await #expect(throws: StoreFileError.self) { try await open() }
    #expect(error?.code == .ioFailed, "\(String(describing: error))")
    #expect(try folder.names == ["app.db-owner", "secret"])
    #expect(try Data(contentsOf: secret) == Data("secret".utf8))
  }

  /// Bug: whatever had the name of the lock was taken for it, and cut off where there was no file yet.
  @Test func `a file of the name of the lock that is none is left as it is`() async throws {
    let lock = URL(fileURLWithPath: folder.file.path + "-owner")
    for text in ["my notes", "complete\n, at last"] {
      try Data(text.utf8).write(to: lock)
      let error = await #expect(throws: StoreFileError.self) { try await open() }
      #expect(error?.code == .ioFailed && error?.message.contains("app.db-owner") == true)
      #expect(throws: StoreFileError.self) { try StoreFile.remove(at: folder.file) }
      #expect(try folder.names == ["app.db-owner"] && Data(contentsOf: lock) == Data(text.utf8))
    }
    try Data().write(to: lock)
    try FileManager.default.linkItem(at: lock, to: folder.url.appendingPathComponent("other"))
    await #expect(throws: StoreFileError.self) { try await open() }
  }

  /// Bug: a folder in the place of the file was removed with all that was in it.
  @Test func `removing a file removes no folder`() throws {
    let inner = folder.file.appendingPathComponent("inner")
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
    let error = #expect(throws: StoreFileError.self) { try StoreFile.remove(at: folder.file) }
    #expect(error?.code == .notAStoreFile)
    #expect(FileManager.default.fileExists(atPath: inner.path))
  }

  /// Bug: of a name that is so long that those of files beside it are too long, these counted as not to be looked at, so
  /// that the file was refused, or removed but for its lock.
  @Test(arguments: [200, 238, 245]) func `a file may have a name as long as those of its log and lock allow`(
    length: Int
  ) async throws {
    let url = folder.url.appendingPathComponent(String(repeating: "n", count: length))
    let before = try folder.names
    let file = try await StoreFile.open(at: url, Count.self)
    try await file.write { tx in try tx.insert(Count(id: 1, value: 1)) }
    try await file.close()
    let reading = try await StoreFile.open(at: url, Count.self, options: .init(isReadOnly: true))
    #expect(reading.store.count(Count.all) == 1)
    try await reading.close()
    try StoreFile.remove(at: url)
    #expect(try folder.names == before)
  }

  /// Bug: what had the name was removed, and what stood beside a folder of the name.
  @Test func `what is no file of a store is neither removed nor replaced`() async throws {
    let files = FileManager.default
    let file = try await open()
    let documents = folder.url.appendingPathComponent("documents")
    try files.createDirectory(at: documents, withIntermediateDirectories: true)
    let letter = folder.url.appendingPathComponent("letter.txt")
    let pipe = folder.url.appendingPathComponent("pipe")
    try Data("Dear all".utf8).write(to: letter)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: documents.path + "-wal"))
    #expect(mkfifo(pipe.path, 0o600) == 0)
    let names = try folder.names
    for url in [documents, letter, pipe, folder.url, URL(fileURLWithPath: "/dev/null")] {
      let removal = #expect(throws: StoreFileError.self) { try StoreFile.remove(at: url) }
      #expect([.notAStoreFile].contains(removal?.code), "\(url.path)")
      let backup = await #expect(throws: StoreFileError.self) { try await file.backup(to: url) }
      #expect(backup?.code == .notAStoreFile, "\(url.path)")
    }
    for url in [URL(string: "https://example.org/app.db"), URL(string: "http:")].compactMap({ $0 }) {
      #expect(throws: StoreFileError.self) { try StoreFile.remove(at: url) }
      await #expect(throws: StoreFileError.self) { try await file.backup(to: url) }
      let error = await #expect(throws: StoreFileError.self) { try await open(url) }
      #expect(error?.code == .notAStoreFile)
    }
    #expect(try folder.names == names && Data(contentsOf: letter) == Data("Dear all".utf8))
    try await file.close()
    try StoreFile.remove(at: folder.file)
  }

  /// Bug: a file that was gone, or a lock, was written on, and what was in no file counted as durable.
  @Test(arguments: ["remove ", "remove -wal", "remove -owner", "rename ", "replace "])
  func `nothing is durable in a file that has moved`(what: String) async throws {
    let parts = what.split(separator: " ", omittingEmptySubsequences: false)
    let path = folder.file.path + parts[1]
    let files = FileManager.default
    let file = try await open()
    try await insert(1, file)
    if parts[0] == "remove" {
      try files.removeItem(atPath: path)
    } else {
      try files.moveItem(atPath: path, toPath: path + ".old")
    }
    if parts[0] == "replace" { try Data().write(to: folder.file) }
    for id in 2...3 {
      let error = await #expect(throws: StoreFileError.self) { try await insert(id, file) }
      #expect(error?.code == .moved, "\(String(describing: error))")
    }
    #expect(file.durableVersion < file.store.version)
    // The objects are not lost.
    #expect(try await file.exportJSON(to: folder.url.appendingPathComponent("lines")) == ["Count": 3])
    let error = await #expect(throws: StoreFileError.self) { try await file.close() }
    #expect(error?.code == .moved)
    await #expect(throws: StoreError.self) {
      try await file.store.write { tx in try tx.insert(Count(id: 9, value: 9)) }
    }
  }

  @Test(arguments: [false, true])
  func `a log that is removed or replaced before the first write is missed`(isReplaced: Bool) async throws {
    let file = try await open()
    try await insert(1, file)
    try await file.close()
    let again = try await open()
    let log = folder.file.path + "-wal"
    try FileManager.default.moveItem(atPath: log, toPath: log + ".old")
    if isReplaced { try Data().write(to: URL(fileURLWithPath: log)) }
    let error = await #expect(throws: StoreFileError.self) { try await insert(2, again) }
    #expect(error?.code == .moved)
    await #expect(throws: StoreFileError.self) { try await again.changeKey(to: SymmetricKey(size: .bits256)) }
    await #expect(throws: StoreFileError.self) { try await again.compact() }
    await #expect(throws: StoreFileError.self) { try await again.close() }
    #expect(try await ids() == [1])
  }

  @Test func `a lock that is away for a while is away for good`() async throws {
    let file = try await open()
    try await insert(1, file)
    let lock = folder.file.path + "-owner"
    try FileManager.default.moveItem(atPath: lock, toPath: lock + ".away")
    await #expect(throws: StoreFileError.self) { try await insert(2, file) }
    try FileManager.default.moveItem(atPath: lock + ".away", toPath: lock)
    let error = await #expect(throws: StoreFileError.self) { try await insert(3, file) }
    #expect(error?.code == .moved)
    await #expect(throws: StoreFileError.self) { try await file.close() }
    #expect(try await ids() == [1])
  }

  @Test func `closing a file that has moved says so, also if nothing is to be written`() async throws {
    let file = try await open()
    try await insert(1, file)
    try FileManager.default.moveItem(atPath: folder.file.path, toPath: folder.file.path + ".old")
    let error = await #expect(throws: StoreFileError.self) { try await file.close() }
    #expect(error?.code == .moved)
  }

  /// Bug: under its other name the file had another log and lock, so that what was acknowledged was lost.
  @Test func `a file with a second name is not opened`() async throws {
    let file = try await open()
    try await insert(1, file)
    let other = folder.url.appendingPathComponent("other.db")
    try FileManager.default.linkItem(at: folder.file, to: other)
    let error = await #expect(throws: StoreFileError.self) { try await open(other) }
    #expect(error?.code == .ioFailed && error?.message.contains("hard link") == true)
    try FileManager.default.removeItem(at: other)
    try await file.close()
    #expect(try await ids() == [1])
  }

  /// Bug: whatever had the name of a repaired file took the place of the file, without a word.
  @Test func `a file that only has the name of a repaired one is left as it is`() async throws {
    let file = try await open()
    try await insert(1, file)
    try await file.close()
    let foreign = URL(fileURLWithPath: folder.file.path + "-repaired")
    let other = try await open(foreign)
    try await insert(9, other)
    try await other.close()
    let bytes = try Data(contentsOf: foreign)
    #expect(try await ids() == [1])
    #expect(try await ids(nil, .init(isReadOnly: true)) == [1])
    let reader = try FileReader(folder.file, key: nil)
    try reader.read { file in #expect(file.count("Count") == 1) }
    // It is in the way of a repair, and stays.
    let queue = try DatabaseQueue(path: folder.file.path)
    try await queue.write { db in try db.execute(sql: "UPDATE Count SET value = 7") }
    try queue.close()
    let error = await #expect(throws: StoreFileError.self) {
      try await open(nil, .init(repair: .skipDamagedRows))
    }
    #expect(error?.code == .ioFailed && error?.message.contains("app.db-repaired") == true)
    #expect(try Data(contentsOf: foreign) == bytes)
    try FileManager.default.removeItem(at: foreign)
    #expect(try await ids(nil, .init(repair: .skipDamagedRows)) == [])
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: folder.file.path + "-owner")) == Data("complete\n".utf8))
  }

  /// Bug: a copy had the group of the process, whose members could read it in the place of those of the file's.
  @Test(.enabled(if: geteuid() == 0)) func `copies of a file have its group`() async throws {
    let file = try await open()
    try await insert(1, file)
    #expect(chown(folder.file.path, .max, 4_711) == 0 && chmod(folder.file.path, 0o640) == 0)
    let backup = folder.url.appendingPathComponent("backup.db")
    try await file.backup(to: backup)
    let lines = folder.url.appendingPathComponent("lines")
    try await file.exportJSON(to: lines)
    try await file.close()
    for path in [backup.path, lines.path + "/Count.ndjson"] {
      var status = stat()
      #expect(
        stat(path, &status) == 0 && status.st_gid == 4_711 && status.st_mode & 0o777 == 0o640, "\(path)")
    }
    // One that replaces a file of another group may be read by neither.
    #expect(chown(backup.path, .max, 4_712) == 0)
    let again = try await open()
    try await again.backup(to: backup)
    try await again.close()
    var status = stat()
    #expect(stat(backup.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    // The lock, too, is for the group that may write.
    #expect(chmod(folder.file.path, 0o660) == 0)
    try await open().close()
    #expect(stat(folder.file.path + "-owner", &status) == 0 && status.st_gid == 4_711)
    #expect(status.st_mode & 0o777 == 0o660)
  }

  /// Bug: all who could read the lock could hold it.
  @Test func `the lock of a file may be opened by those who may write the file`() async throws {
    let files = FileManager.default
    let lock = folder.file.path + "-owner"
    for (mode, expected) in [(0o600, 0o600), (0o644, 0o600), (0o664, 0o660), (0o666, 0o666), (0o640, 0o600)] {
      try await open().close()
      try files.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.file.path)
      try files.setAttributes([.posixPermissions: 0o666], ofItemAtPath: lock)
      try await open().close()
      #expect(try files.attributesOfItem(atPath: lock)[.posixPermissions] as? Int == expected)
      try files.removeItem(atPath: lock)
      try await open().close()
      #expect(try files.attributesOfItem(atPath: lock)[.posixPermissions] as? Int == expected)
      try StoreFile.remove(at: folder.file)
    }
  }

  /// Bug: the log stayed as large as the largest transaction had made it, and nothing said how large it was.
  @Test(.timeLimit(.minutes(10))) func `a log that one transaction made large is emptied when nothing waits`()
    async throws
  {
    let file = try await StoreFile.open(at: folder.file, Author.self)
    try await file.write { tx in
      try tx.insert(
        contentsOf: (0..<30_000).map { _ in Author(id: UUID(), name: String(repeating: "x", count: 1_000)) })
    }
    while file.metrics.logBytes > 16 << 20 {
      try Task.checkCancellation()
      await Task.yield()
    }
    #expect(file.store.count(Author.all) == 30_000)
    // Beside a reader it stays, and no write waits for that.
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let reader = try DatabaseQueue(path: folder.file.path, configuration: configuration)
    try await reader.writeWithoutTransaction { db in try db.execute(sql: "BEGIN; SELECT count(*) FROM Author")
    }
    try await file.write { tx in
      try tx.insert(
        contentsOf: (0..<30_000).map { _ in Author(id: UUID(), name: String(repeating: "x", count: 1_000)) })
    }
    // Each would wait for five seconds. On a machine that is busy, one may take as long by itself.
    var quickest = Duration.seconds(60)
    for _ in 0..<20 where quickest >= .seconds(5) {
      let time = try await ContinuousClock().measure {
        try await file.write { tx in try tx.insert(Author(id: UUID(), name: "")) }
      }
      quickest = min(quickest, time)
    }
    #expect(quickest < .seconds(5))
    #expect(file.metrics.logBytes > 16 << 20)
    try await reader.writeWithoutTransaction { db in try db.execute(sql: "COMMIT") }
    try reader.close()
    try await file.close()
  }

  /// Bug: SQLite made them readable for everyone.
  @Test func `a backup and a repaired file may be read by no more than the file`() async throws {
    let files = FileManager.default
    func permissions(_ url: URL) throws -> Int? {
      try files.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    }
    let file = try await open()
    try await insert(1, file)
    try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file.path)
    let backup = folder.url.appendingPathComponent("backup.db")
    try await file.backup(to: backup)
    #expect(try permissions(backup) == 0o600)
    try await file.close()
    let queue = try DatabaseQueue(path: folder.file.path)
    try await queue.write { db in try db.execute(sql: "UPDATE Count SET value = 7") }
    try queue.close()
    #expect(try await ids(nil, .init(repair: .skipDamagedRows)) == [])
    #expect(try permissions(folder.file) == 0o600)
    #expect(try await ids(backup) == [1])
  }

  /// Bug: SQLite wrote the log over whatever file had its name, too.
  @Test(arguments: ["-wal", "-shm"])
  func `a log that is another file, too, is not written`(suffix: String) async throws {
    let file = try await open()
    try await insert(1, file)
    try await file.close()
    let victim = folder.url.appendingPathComponent("notes")
    try Data("my notes".utf8).write(to: victim)
    try FileManager.default.linkItem(at: victim, to: URL(fileURLWithPath: folder.file.path + suffix))
    let error = await #expect(throws: StoreFileError.self) { try await open() }
    #expect(error?.code == .ioFailed && error?.message.contains("app.db\(suffix)") == true)
    #expect(try Data(contentsOf: victim) == Data("my notes".utf8))
    try FileManager.default.removeItem(atPath: folder.file.path + suffix)
    #expect(try await ids() == [1])
  }

  /// Bug: the log of what a backup replaces was emptied, whatever file it was besides.
  @Test(arguments: ["-wal", "-shm"])
  func `a backup does not write over a log that is another file, too`(suffix: String) async throws {
    let target = folder.url.appendingPathComponent("backup.db")
    let victim = folder.url.appendingPathComponent("notes")
    let notes = Data(repeating: 7, count: 5_000)
    try notes.write(to: victim)
    let file = try await open()
    try await file.backup(to: target)
    let before = try Data(contentsOf: target)
    try FileManager.default.linkItem(at: victim, to: URL(fileURLWithPath: target.path + suffix))
    let error = await #expect(throws: StoreFileError.self) { try await file.backup(to: target) }
    #expect(error?.code == .ioFailed && error?.message.contains("backup.db\(suffix)") == true)
    #expect(try Data(contentsOf: victim) == notes && Data(contentsOf: target) == before)
    try await file.close()
  }

  @Test func `an export may be read by no more than the file, and than what it replaces`() async throws {
    let files = FileManager.default
    let exported = folder.url.appendingPathComponent("exported/Count.ndjson")
    func permissions() throws -> Int? {
      try files.attributesOfItem(atPath: exported.path)[.posixPermissions] as? Int
    }
    let file = try await open()
    try await insert(1, file)
    try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file.path)
    try await file.exportJSON(to: exported.deletingLastPathComponent())
    #expect(try permissions() == 0o600)
    try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.file.path)
    try await file.exportJSON(to: exported.deletingLastPathComponent())
    #expect(try permissions() == 0o600)
    try files.removeItem(at: exported)
    try await file.exportJSON(to: exported.deletingLastPathComponent())
    #expect(try permissions() == 0o644)
    try await file.close()
  }

  /// Bug: a symbolic link in the place of a repaired file took the name of the file, whose owner then wrote to another one.
  @Test func `a link in the place of a repaired file does not take the name of the file`() async throws {
    let other = folder.url.appendingPathComponent("other.db")
    for (url, id) in [(other, 1), (folder.file, 2)] {
      let file = try await open(url)
      try await insert(id, file)
      try await file.close()
    }
    try FileManager.default.createSymbolicLink(
      atPath: folder.file.path + "-repaired", withDestinationPath: "other.db")
    #expect(try await ids() == [2])
    #expect(try await ids(nil, .init(isReadOnly: true)) == [2])
    #expect(try await ids(other) == [1])
  }

  @Test func `a backup does not replace a file that is open, its own or another`() async throws {
    let other = folder.url.appendingPathComponent("other.db")
    let (file, replaced) = (try await open(), try await open(other))
    try await insert(1, file)
    for target in [folder.file, other, try makeLink()] {
      let error = await #expect(throws: StoreFileError.self) { try await file.backup(to: target) }
      #expect(error?.code == .inUse)
    }
    try await insert(2, file)
    try await insert(3, replaced)
    try await file.close()
    try await replaced.close()
    #expect(try await ids() == [1, 2])
    #expect(try await ids(other) == [3])
  }

  @Test func `backups to one name at a time leave one that is whole, and nothing beside it`() async throws {
    let file = try await open()
    try await file.write { tx in
      try tx.insert(contentsOf: (0..<2_000).map { Count(id: $0, value: $0) })
    }
    let target = folder.url.appendingPathComponent("backup.db")
    let written = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<16 {
        group.addTask {
          do {
            try await file.backup(to: target)
            return 1
          } catch let error as StoreFileError where error.code == .inUse {
            return 0
          }
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(written > 0)
    #expect(try folder.names.filter { $0.hasPrefix("backup") } == ["backup.db"])
    try await file.close()
    #expect(try await ids(target).count == 2_000)
  }

  @Test func `a file has one owner whatever links lead to it, and is removed through any`() async throws {
    let link = try makeLink()
    // The link leads to nothing yet.
    let first = try await open(link)
    try await insert(1, first)
    let error = await #expect(throws: StoreFileError.self) { try await open() }
    #expect(error?.code == .inUse)
    #expect(try await ids(link, .init(isReadOnly: true)) == [1])
    try await first.close()
    #expect(try await ids() == [1])
    #expect(try folder.names == ["app.db", "app.db-owner", "linked", "links"])
    try StoreFile.remove(at: link)
    #expect(try folder.names == ["linked", "links"])
  }

  @Test func `what SQLite left beside a file that is gone does not change a copy that takes its name`()
    async throws
  {
    let seed = folder.url.appendingPathComponent("seed.db")
    let file = try await open(seed)
    try await insert(1, file)
    try await file.close()
    // A journal of an empty database that was being filled, as a crash leaves it.
    let filled = folder.url.appendingPathComponent("filled.db")
    try await DatabaseQueue(path: filled.path).writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA cache_size = 1; BEGIN; CREATE TABLE a (b)")
      try db.execute(
        sql:
          "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO a SELECT zeroblob(200) FROM n"
      )
      try FileManager.default.copyItem(
        atPath: filled.path + "-journal", toPath: folder.file.path + "-journal")
      try db.execute(sql: "ROLLBACK")
    }
    let journal = try Data(contentsOf: URL(fileURLWithPath: folder.file.path + "-journal"))
    // One that was not synced is ignored by SQLite: it begins with zeroes.
    #expect(journal.first == 0xD9)
    let copy = try await StoreFile.open(at: folder.file, Count.self, seededFrom: seed)
    #expect(copy.store.fetch(Count.all).map(\.id) == [1])
    try await copy.close()
    #expect(try await ids() == [1])
    try Data().write(to: URL(fileURLWithPath: folder.file.path + "-journal"))
    try StoreFile.remove(at: folder.file)
    #expect(try folder.names == ["filled.db", "seed.db", "seed.db-owner"])
  }

  @Test func `a file that is only read has what was read, and nothing else becomes durable`() async throws {
    let file = try await open()
    try await insert(1, file)
    try await file.close()
    try FileManager.default.removeItem(atPath: folder.file.path + "-owner")
    let reading = try await open(nil, .init(isReadOnly: true))
    let opened = reading.store.version
    #expect(reading.durableVersion == opened && reading.metrics.lag == 0)
    try await reading.durable(through: opened)
    var error = await #expect(throws: StoreFileError.self) { try await insert(2, reading) }
    #expect(error?.code == .readOnly && reading.store.version == opened)
    error = await #expect(throws: StoreFileError.self) {
      try await reading.durable(through: Version(opened.number + 1))
    }
    #expect(error?.code == .readOnly)
    error = await #expect(throws: StoreFileError.self) { try await reading.compact() }
    #expect(error?.code == .readOnly)
    try await reading.close()
    // Nothing was made beside it, so that it may be where nothing can be written.
    #expect(try folder.names == ["app.db"])
    #expect(try await ids() == [1])
  }

  @Test func `an opening that is cancelled ends, and the file is free`() async throws {
    let file = try await open()
    try await file.write { tx in
      try tx.insert(contentsOf: (0..<100_000).map { Count(id: $0, value: $0) })
    }
    try await file.close()
    let opening = Mutex<Task<StoreFile, any Error>?>(nil)
    let (isSet, setter) = AsyncStream.makeStream(of: Void.self)
    let folder = folder
    let options = StoreFile.Options(progress: { _ in opening.withLock { $0 }?.cancel() })
    let task = Task {
      for await _ in isSet {}
      return try await StoreFile.open(at: folder.file, Count.self, options: options)
    }
    opening.withLock { $0 = task }
    setter.finish()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await ids().count == 100_000)
  }

  @Test func `a task that is cancelled closes its file nevertheless`() async throws {
    let file = try await open()
    try await file.store.write { tx in try tx.insert(Count(id: 1, value: 1)) }
    let closing = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await file.close()
    }
    try await closing.value
    #expect(try await ids() == [1])
  }

  /// All that a store wrote is in its log, until the first checkpoint.
  @Test(arguments: [StoreFile.Options.Repair.none, .skipDamagedRows])
  func `a file whose log was lost before its first checkpoint is not taken for a new one`(
    repair: StoreFile.Options.Repair
  ) async throws {
    let file = try await open()
    try await insert(1, file)
    let copy = folder.url.appendingPathComponent("copy.db")
    for suffix in ["", "-owner"] {
      try FileManager.default.copyItem(atPath: folder.file.path + suffix, toPath: copy.path + suffix)
    }
    try await file.close()
    let bytes = try Data(contentsOf: copy)
    for _ in 0..<2 {
      let error = await #expect(throws: StoreFileError.self) {
        try await StoreFile.open(at: copy, Count.self, options: .init(repair: repair)) { tx in
          try tx.insert(Count(id: 100, value: 0))
        }
      }
      #expect(error?.code == .damaged && error?.message.contains("is empty") == true)
    }
    #expect(try Data(contentsOf: copy) == bytes)
    try StoreFile.remove(at: copy)
    #expect(try await ids(copy) == [])
  }

  @Test func `a file that could not be made again after it was deleted is new for the next opening`()
    async throws
  {
    let file = try await open()
    try await insert(1, file)
    try await file.close()
    try FileManager.default.removeItem(at: folder.file)
    // It is made, and then filled by a seed that fails; or the process ends, and leaves it empty.
    struct Failure: Error {}
    await #expect(throws: Failure.self) {
      try await StoreFile.open(at: folder.file, Count.self) { _ in throw Failure() }
    }
    #expect(try await ids() == [])
    try FileManager.default.removeItem(at: folder.file)
    await #expect(throws: Failure.self) {
      try await StoreFile.open(at: folder.file, Count.self) { _ in throw Failure() }
    }
    try Data().write(to: folder.file)
    #expect(try await ids() == [])
  }
}
