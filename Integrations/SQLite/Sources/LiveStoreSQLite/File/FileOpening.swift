import Foundation
import LiveStore

/// Opening a file, step by step.
struct FileOpening {
  private let url: URL
  private let tables: [any EntityTable]
  private let options: StoreFile.Options
  private let makeStore: () throws -> Store
  private let files = FileManager.default

  /// - Parameter makeStore: makes an empty store of the entities.
  init(
    _ url: URL, _ tables: [any EntityTable], _ options: StoreFile.Options,
    _ makeStore: @escaping () throws -> Store
  ) {
    (self.url, self.tables, self.options, self.makeStore) = (url, tables, options, makeStore)
  }

  /// Opens the file, which is a copy of another if it is new.
  func run(copying seed: URL) async throws -> StoreFile {
    try await run(seed: nil, copying: seed)
  }

  /// Opens the file.
  ///
  /// - Parameters:
  ///   - seed: writes the first objects of a new one.
  ///   - other: the file that a new one is a copy of, if it does not begin empty.
  func run(
    seed: (@Sendable (inout WriteTransaction) throws -> Void)?, copying other: URL? = nil
  ) async throws -> StoreFile {
    try checkNames()
    // Before anything is made.
    if let key = options.key { try FileKey.checkLength(key) }
    let store = try makeStore()
    let exists = files.fileExists(atPath: url.path)
    if options.isReadOnly {
      if !exists { throw StoreFileError(.notFound, "There is no file \(url.path).") }
      let database = try FileDatabase(url, tables, options)
      try database.load(into: store, options)
      try database.close()
      return StoreFile(store, tables, database.contents.damagedRows, nil)
    }
    let (owner, isNew) = try own(exists)
    if isNew, let other { try await copy(other) }
    try replaceDamaged()
    var database = try FileDatabase(url, tables, options)
    do {
      try database.prepare(options)
      try database.load(into: store, options)
    } catch let error as StoreFileError
      where options.repair == .skipDamagedRows && error.code == .damaged
    {
      try await FileRepair(database, tables, options).run(scratch: makeStore())
      try database.close()
      try FileOwner.moveDurably(FileRepair.part(of: url).path, to: repaired)
      try replaceDamaged()
      database = try FileDatabase(url, tables, options)
      try database.load(into: store, options)
    } catch  where isNew && other != nil {
      // A copy that cannot be used would stand in the way of a better one. It is removed before another can be the owner.
      try? database.close()
      withExtendedLifetime(owner) { remove(url) }
      throw error
    }
    let saved = store.snapshot()
    if database.contents.version == 0, let seed {
      try await store.write(origin: "seed") { tx in try seed(&tx) }
    }
    let writer = FileWriter(database, owner, store, since: saved, retryDelay: options.retryDelay)
    writer.run()
    let file = StoreFile(store, tables, database.contents.damagedRows, writer)
    try await file.durable(through: store.version)
    // If that fails, the next opening reports it again.
    try? await database.forgetDamage()
    owner.mark()
    return file
  }

  /// Becomes the owner of the file, or refuses what is no file of a store.
  ///
  /// - Returns: whether it is new, too.
  private func own(_ exists: Bool) throws -> (FileOwner, isNew: Bool) {
    let wasOwned = files.fileExists(atPath: FileOwner.path(of: url))
    let size = (try? files.attributesOfItem(atPath: url.path)[.size] as? Int) ?? 0
    // SQLite takes it for an empty one.
    if 1..<512 ~= size {
      throw StoreFileError(.notAStoreFile, "The file \(url.path) is no database: it has \(size) bytes.")
    }
    let emptied = StoreFileError(
      .damaged,
      "The file \(url.path) is empty, and no new one. Restore it from a backup, or remove it to start with an empty store."
    )
    // A new one is empty for a moment, with its owner beside it.
    if exists, size == 0, !wasOwned { throw emptied }
    let owner = try FileOwner(of: url)
    if exists, size == 0, owner.isMarked { throw emptied }
    return (owner, !exists || size == 0)
  }

  /// Refuses names that cannot be names of tables.
  private func checkNames() throws(StoreFileError) {
    var names: Set<String> = []
    for table in tables
    where !TableNames.isAllowed(table.name) || !names.insert(table.name.lowercased()).inserted {
      throw StoreFileError(
        .mismatch,
        "The entity \(table.name) cannot be a table: its name is reserved, or that of another but for its case.",
        table: table.name)
    }
  }

  /// Makes the file as a copy of another, complete or not at all.
  private func copy(_ seed: URL) async throws {
    guard files.fileExists(atPath: seed.path) else {
      throw StoreFileError(.notFound, "There is no file \(seed.path) to begin with.")
    }
    let part = URL(fileURLWithPath: url.path + "-seed")
    remove(part)
    // After an error. A copy that is complete has another name by then.
    defer { remove(part) }
    try FileFailure.accessing(url) {
      for suffix in ["", "-wal"] where files.fileExists(atPath: seed.path + suffix) {
        let path = part.path + suffix
        try files.copyItem(atPath: seed.path + suffix, toPath: path)
        // What comes with an app often may not be written.
        let permissions = try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0o644
        try files.setAttributes([.posixPermissions: permissions | 0o600], ofItemAtPath: path)
      }
    }
    let database = try FileDatabase(part, tables, options)
    try await database.adoptKey(options.key)
    try await database.checkpoint()
    try database.close()
    try FileOwner.moveDurably(part.path, to: url)
  }

  /// Removes a file of SQLite, with what stands beside it.
  private func remove(_ file: URL) {
    for suffix in ["", "-wal", "-shm"] { try? files.removeItem(atPath: file.path + suffix) }
  }

  /// Where a repaired file is, complete, until it has the name of the damaged one.
  private var repaired: URL { URL(fileURLWithPath: url.path + "-repaired") }

  /// Gives a repaired file, if there is one, the name of the damaged one, which is kept under another.
  ///
  /// From the moment that the repaired file is complete, it is the file: if the process ends within this, the next opening
  /// does it again, since the damaged file without its log would have less.
  private func replaceDamaged() throws {
    guard files.fileExists(atPath: repaired.path) else { return }
    if files.fileExists(atPath: url.path) { try DamagedCopy(url).keep() }
    try FileOwner.moveDurably(repaired.path, to: url)
  }
}
