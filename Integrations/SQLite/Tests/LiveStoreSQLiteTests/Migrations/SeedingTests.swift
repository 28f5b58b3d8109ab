import Crypto
import FaultyFiles
import Foundation
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

private enum Shipped {
  struct Recipe: Entity, Codable, Equatable {
    let id: Int
    var title: String
    static let schema = Schema<Recipe> { \.title }
  }
}

private struct Recipe: Entity, Codable, Equatable {
  let id: Int
  var name: String
  var minutes: Int
  static let schema = Schema<Recipe> {
    Property(\.name, .unique)
    \.minutes
  }
}

@Suite(.timeLimit(.minutes(20))) struct `Files that begin as a copy of another` {
  private let folder: Folder
  /// Where the file that comes with the app is.
  private let bundle: Folder

  private static let migrations: [Migration] = [
    .renamed("title", to: "name", in: Recipe.self),
    Migration(from: 1, to: 3) { _, tx in
      try tx.update("Recipe") { try $0.set("minutes", to: $0.value("id", as: Int.self) * 10) }
    },
  ]
  private static let shipped = [3, 1, 2].map { Shipped.Recipe(id: $0, title: "r\($0)") }
  private static let recipes = [3, 1, 2].map { Recipe(id: $0, name: "r\($0)", minutes: $0 * 10) }

  init() throws { (folder, bundle) = (try Folder(inMemory: true), try Folder()) }

  private func ship(_ sealing: Sealing = .plain) async throws {
    try await bundle.write(Shipped.Recipe.self, options: sealing.options()) { tx in
      try tx.insert(contentsOf: Self.shipped)
    }
  }

  private func open(_ options: StoreFile.Options) async throws -> StoreFile {
    try await StoreFile.open(
      at: folder.file, Shipped.Recipe.self, seededFrom: bundle.file, options: options)
  }

  private func openMigrated(_ options: StoreFile.Options) async throws -> StoreFile {
    try await StoreFile.open(at: folder.file, Recipe.self, seededFrom: bundle.file, options: options)
  }

  private func names(_ folder: Folder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
  }

  /// What is in the folder but for the lock of the owner.
  private func namesBeside() throws -> [String] { try names(folder).filter { $0 != "app.db-owner" } }

  @Test(arguments: Sealing.allCases)
  func `a new file begins with the objects of the other, which stays as it is`(sealing: Sealing) async throws
  {
    try await ship(sealing)
    let (before, beside) = (try bundle.bytes(), try names(bundle))
    var expected = Self.shipped
    for round in 0..<3 {
      let file = try await open(sealing.options())
      #expect(Array(file.store.fetch(Shipped.Recipe.all)) == expected)
      #expect(file.durableVersion == file.store.version)
      let new = Shipped.Recipe(id: round + 10, title: "new")
      try await file.write { tx in try tx.insert(new) }
      expected.append(new)
      try await file.close()
    }
    #expect(try bundle.bytes() == before)
    #expect(try names(bundle) == beside)
    #expect(try names(folder) == ["app.db", "app.db-owner"])
  }

  @Test func `an unencrypted seed is encrypted with the key of the file`() async throws {
    try await bundle.write(Shipped.Recipe.self, options: .init()) { tx in
      try tx.insert(Shipped.Recipe(id: 1, title: "a title that can be recognised"))
    }
    let options = Sealing.encrypted.options()
    for _ in 0..<2 {
      let file = try await open(options)
      #expect(file.store.fetch(Shipped.Recipe.all).map(\.title) == ["a title that can be recognised"])
      try await file.close()
    }
    for bytes in try folder.bytes() {
      #expect(bytes.range(of: Data("recognised".utf8)) == nil)
    }
    let error = await #expect(throws: StoreFileError.self) { try await open(.init()) }
    #expect(error?.code == .wrongKey)
  }

  @Test(arguments: [nil, SymmetricKey(size: .bits256)])
  func `an encrypted seed and no key, or another one, is an error, and there is no file`(key: SymmetricKey?)
    async throws
  {
    try await ship(.encrypted)
    let before = try bundle.bytes()
    for _ in 0..<2 {
      let error = await #expect(throws: StoreFileError.self) { try await open(.init(key: key)) }
      #expect(error?.code == .wrongKey, "\(String(describing: error))")
    }
    #expect(try bundle.bytes() == before)
    #expect(try namesBeside() == [])
    let file = try await open(Sealing.encrypted.options())
    #expect(Array(file.store.fetch(Shipped.Recipe.all)) == Self.shipped)
    try await file.close()
  }

  @Test(arguments: Sealing.allCases)
  func `a seed of an older schema is migrated, as the file itself would be`(sealing: Sealing) async throws {
    for shipping in sealing == .plain ? [Sealing.plain] : [.plain, .encrypted] {
      try await ship(shipping)
      let before = try bundle.bytes()
      for _ in 0..<2 {
        let file = try await openMigrated(sealing.options(Self.migrations))
        #expect(Array(file.store.fetch(Recipe.all)) == Self.recipes)
        try await file.close()
      }
      #expect(try bundle.bytes() == before)
      try StoreFile.remove(at: folder.file)
      try StoreFile.remove(at: bundle.file)
    }
  }

  @Test(arguments: Sealing.allCases)
  func `a seed that cannot be migrated leaves no file, and can be used once that is mended`(sealing: Sealing)
    async throws
  {
    try await ship(sealing)
    let bad = Migration(from: 1, to: 3) { _, tx in
      try tx.update("Recipe") { row in
        try row.set("name", to: "same")
        try row.set("minutes", to: 1)
      }
    }
    let violation = await #expect(throws: StoreError.self) { try await openMigrated(sealing.options([bad])) }
    #expect(violation?.code == StoreError.uniqueViolation)
    #expect(try namesBeside() == [])
    let needed = await #expect(throws: StoreFileError.self) {
      try await openMigrated(sealing.options([Migration(from: 2, to: 3) { _, _ in }]))
    }
    #expect(needed?.code == .migrationNeeded)
    #expect(try namesBeside() == [])
    let file = try await openMigrated(sealing.options(Self.migrations))
    #expect(Array(file.store.fetch(Recipe.all)) == Self.recipes)
    try await file.close()
  }

  @Test func `a seed of a newer schema is refused, and there is no file`() async throws {
    try await bundle.write(Recipe.self, options: .init(migrations: Self.migrations)) { tx in
      try tx.insert(contentsOf: Self.recipes)
    }
    let error = await #expect(throws: StoreFileError.self) { try await open(.init()) }
    #expect(error?.code == .newerSchema)
    #expect(try namesBeside() == [])
  }

  @Test(arguments: Sealing.allCases)
  func `what is only in the write-ahead log of a seed is in the new file, too`(sealing: Sealing) async throws
  {
    let living = try Folder()
    let source = try await StoreFile.open(
      at: living.file, Shipped.Recipe.self, options: sealing.options())
    for recipe in Self.shipped { try await source.write { tx in try tx.insert(recipe) } }
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(
        at: URL(filePath: living.file.path + suffix), to: URL(filePath: bundle.file.path + suffix))
    }
    try await source.close()
    let before = try bundle.bytes()
    #expect(before[1].count > 0)
    for _ in 0..<2 {
      let file = try await open(sealing.options())
      #expect(Array(file.store.fetch(Shipped.Recipe.all)) == Self.shipped)
      try await file.close()
    }
    #expect(try bundle.bytes() == before)
  }

  @Test func `a seed that is missing is an error while there is no file, and none afterwards`() async throws {
    let error = await #expect(throws: StoreFileError.self) { try await open(.init()) }
    #expect(error?.code == .notFound)
    #expect(error?.message.contains(bundle.file.path) == true)
    #expect(try namesBeside() == [])
    try await folder.write(Shipped.Recipe.self, options: .init()) { tx in
      try tx.insert(Shipped.Recipe(id: 7, title: "own"))
    }
    let file = try await open(.init())
    #expect(file.store.fetch(Shipped.Recipe.all).map(\.id) == [7])
    try await file.close()
  }

  @Test(arguments: Sealing.allCases)
  func `a file that is there is opened as it is, empty or not, whatever the seed has`(sealing: Sealing)
    async throws
  {
    try await folder.write(Shipped.Recipe.self, options: sealing.options()) { _ in }
    try await ship(.plain)
    var file = try await open(sealing.options())
    #expect(file.store.count(Shipped.Recipe.all) == 0)
    try await file.close()
    try StoreFile.remove(at: bundle.file)
    try Data("no store".utf8).write(to: bundle.file)
    file = try await open(sealing.options())
    #expect(file.store.count(Shipped.Recipe.all) == 0)
    try await file.close()
  }

  @Test func `a seed that is something else is refused, and there is no file`() async throws {
    for content in [Data("This is no database, but a text of some length.".utf8), Data()] {
      try content.write(to: bundle.file)
      let error = await #expect(throws: StoreFileError.self) { try await open(.init()) }
      #expect([.notAStoreFile, .damaged].contains(error?.code), "\(String(describing: error))")
      #expect(try namesBeside() == [])
      #expect(try Data(contentsOf: bundle.file) == content)
    }
  }

  @Test func `the copy of a seed that may not be written can be written`() async throws {
    try await ship()
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: bundle.file.path)
    let file = try await open(.init())
    try await file.write { tx in try tx.insert(Shipped.Recipe(id: 9, title: "new")) }
    try await file.close()
    // Who runs the test may write to all files.
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file.path)
    let permissions = try #require(attributes[.posixPermissions] as? NSNumber)
    #expect(permissions.intValue & 0o200 != 0)
  }

  /// Bug: it was taken for what an earlier copy had left, and removed.
  @Test func `a seed of the name of its own copy stays`() async throws {
    try await ship()
    let seeds = ["-seed", "-seed-copy"].map { URL(fileURLWithPath: folder.file.path + $0) }
    for seed in seeds { try FileManager.default.copyItem(at: bundle.file, to: seed) }
    let error = await #expect(throws: StoreFileError.self) {
      try await StoreFile.open(at: folder.file, Shipped.Recipe.self, seededFrom: seeds[1])
    }
    #expect(error?.message.contains("Rename it") == true, "\(error as Any)")
    #expect(FileManager.default.fileExists(atPath: seeds[1].path))
    let file = try await StoreFile.open(at: folder.file, Shipped.Recipe.self, seededFrom: seeds[0])
    #expect(Array(file.store.fetch(Shipped.Recipe.all)) == Self.shipped)
    try await file.close()
    try StoreFile.remove(at: folder.file)
    #expect(FileManager.default.fileExists(atPath: seeds[0].path))
  }

  /// Bug: a symbolic link beside a seed was copied as a link, and the permissions of the copy were set through it: what it
  /// led to, any file of the user, became one that everybody may write.
  @Test(arguments: ["-wal", "-repaired"]) func `a link beside a seed gives no access to what it leads to`(
    suffix: String
  ) async throws {
    try await ship()
    let secret = folder.url.appendingPathComponent("secret")
    try Data("secret".utf8).write(to: secret)
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret.path)
    try files.createSymbolicLink(
      atPath: bundle.file.path + suffix, withDestinationPath: secret.path)
    // No file of ours is a link: another one is missing.
    if suffix == "-repaired" {
      let file = try await open(.init())
      #expect(Array(file.store.fetch(Shipped.Recipe.all)) == Self.shipped)
      try await file.close()
    } else {
      let error = await #expect(throws: StoreFileError.self) { try await open(.init()) }
      #expect(error?.code == .ioFailed && error?.message.contains("symbolic link") == true)
      #expect(try namesBeside() == ["secret"])
    }
    let permissions = try files.attributesOfItem(atPath: secret.path)[.posixPermissions] as? Int
    #expect(permissions == 0o600)
    #expect(try Data(contentsOf: secret) == Data("secret".utf8))
  }

  @Test func `a pipe in the place of a seed is refused, and does not wait for a writer`() async throws {
    #expect(mkfifo(bundle.file.path, 0o600) == 0)
    let error = await #expect(throws: StoreFileError.self) { try await open(.init()) }
    #expect(error?.code == .ioFailed, "\(String(describing: error))")
    #expect(try namesBeside() == [])
  }

  @Test(arguments: Sealing.allCases)
  func `a copy that was cut short earlier does not matter`(sealing: Sealing) async throws {
    try await ship()
    for suffix in ["-seed-copy", "-seed-copy-wal", "-seed-copy-shm"] {
      try Data("cut short".utf8).write(to: URL(filePath: folder.file.path + suffix))
    }
    let file = try await open(sealing.options())
    #expect(Array(file.store.fetch(Shipped.Recipe.all)) == Self.shipped)
    try await file.close()
    #expect(try names(folder) == ["app.db", "app.db-owner"])
  }

  // MARK: Losses of power and failures

  /// Opens the file, migrated, as soon as the last owner has given it up.
  private func openWhenFree(_ options: StoreFile.Options) async throws -> StoreFile {
    while true {
      do {
        return try await openMigrated(options)
      } catch let error as StoreFileError where error.code == .inUse {
        try await waitForOwner()
      }
    }
  }

  private func empty() throws {
    for name in try names(folder) {
      try FileManager.default.removeItem(at: folder.url.appendingPathComponent(name))
    }
  }

  @Test(arguments: Sealing.allCases)
  func `after a loss of power at any call there is no new file, or one with all objects of the seed`(
    sealing: Sealing
  ) async throws {
    try await ship()
    let options = sealing.options(Self.migrations)
    try await FaultyFiles.exclusively(under: folder.url.path) {
      let before = FaultyFiles.calls.total
      try await openWhenFree(options).close()
      let count = FaultyFiles.calls.total - before
      #expect(count > 10)
      for call in 1...count {
        for loss in [FaultyFiles.Loss.unsynced, .prefix(seed: UInt64(call)), .subset(seed: UInt64(call))] {
          try empty()
          FaultyFiles.losePower(atCall: call)
          var isAcknowledged = false
          do {
            let file = try await openWhenFree(options)
            isAcknowledged = true
            try await file.close()
          } catch is StoreFileError {}
          if !FaultyFiles.hasLostPower { FaultyFiles.losePowerNow() }
          try FaultyFiles.restart(loss)
          let place = "call \(call), \(loss)"
          if isAcknowledged {
            // It is there without the seed, too.
            let file = try await StoreFile.open(at: folder.file, Recipe.self, options: options)
            try require(Array(file.store.fetch(Recipe.all)) == Self.recipes, "\(place): it was acknowledged")
            try await file.close()
          }
          let file = try await openWhenFree(options)
          try require(Array(file.store.fetch(Recipe.all)) == Self.recipes, "\(place): the second attempt")
          try await file.close()
        }
      }
    }
  }

  @Test(arguments: Sealing.allCases)
  func `after a call that failed the next attempt has all objects of the seed`(sealing: Sealing) async throws
  {
    try await ship()
    let options = sealing.options(Self.migrations)
    try await FaultyFiles.exclusively(under: folder.url.path) {
      let before = FaultyFiles.calls.total
      try await openWhenFree(options).close()
      let count = FaultyFiles.calls.total - before
      for failure in [FaultyFiles.Failure.io, .full] {
        for call in 1...count {
          try empty()
          FaultyFiles.fail(atCall: call, failure, staysFailed: false)
          do {
            try await openWhenFree(options).close()
          } catch let error as StoreFileError {
            try require(error.code == .ioFailed, "call \(call), \(failure): \(error)")
          }
          FaultyFiles.disarm()
          let file = try await openWhenFree(options)
          try require(Array(file.store.fetch(Recipe.all)) == Self.recipes, "call \(call), \(failure)")
          try await file.close()
        }
      }
    }
  }
}
