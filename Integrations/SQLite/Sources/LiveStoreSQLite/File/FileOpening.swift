import Foundation
import GRDB
import LiveStore

/// Makes a store of the entities that a file is opened for.
typealias StoreMaker = @Sendable (StoreBeginning) throws -> Store

/// How a store begins: empty, or as that of a file.
struct StoreBeginning {
  let identity: UUID
  let version: Version
  let lostVersions: [ClosedRange<Version>]
  /// Whether the file is only read.
  let isReadOnly: Bool
  /// Adds the objects.
  let restore: (inout StoreRestoration) throws -> Void

  static var empty: StoreBeginning {
    StoreBeginning(identity: UUID(), version: .zero, lostVersions: [], isReadOnly: false, restore: { _ in })
  }
}

/// Opening a file, step by step.
struct FileOpening {
  /// As it was given.
  private let given: URL
  private let url: URL
  private let tables: [any EntityTable]
  private let options: StoreFile.Options
  private let makeStore: StoreMaker

  init(
    _ url: URL, _ tables: [any EntityTable], _ options: StoreFile.Options,
    _ makeStore: @escaping StoreMaker
  ) {
    (given, self.url, self.tables, self.options, self.makeStore) = (
      url, url.withoutLinks, tables, options, makeStore
    )
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
    for url in [given, other].compactMap({ $0 }) { try url.requireFile() }
    // Before anything is made.
    if let key = options.key { try FileKey.checkLength(key) }
    let header = try FileHeader.damaged(FileRepair.current(url))
    if options.isReadOnly || options.repair == .none, header != nil { throw FileHeader.error(url) }
    if options.isReadOnly { return try await read() }
    try refuseForeign(header)
    let owner = try FileOwner(of: url)
    do {
      return try await open(owner, header, seed, other)
    } catch {
      // Of a file that was not made, nothing is left.
      if owner.isNew, FilePlace.isThere(url.path) == false { owner.removeLock() }
      owner.release()
      throw error
    }
  }

  /// - Parameter header: the header if it was damaged before the file had its owner.
  private func open(
    _ owner: FileOwner, _ header: FileHeader?,
    _ seed: (@Sendable (inout WriteTransaction) throws -> Void)?, _ other: URL?
  ) async throws -> StoreFile {
    try FileRepair.replaceDamaged(url, owner)
    if let header = try header?.current(url) { try await header.restore(url, owner, options) }
    // Only its owner knows whether there is a file: another one may have made it until a moment ago.
    // One that cannot be looked at may have all that was written: it is neither new, nor made as a copy of another.
    let size = try FileStamp.existing(url.path)?.size
    if size == nil { owner.unmark() } else if size == 0, try owner.isMarked { throw emptied }
    let isCopied = (size ?? 0) == 0 && other != nil
    if isCopied, let other { try await copy(other) }
    var store: Store
    var database = try FileDatabase(url, tables, options, owner: owner)
    do {
      // Its log had all that was written, and is gone. What cannot be read is judged below.
      if try owner.isMarked, (try? database.isEmpty) == true { throw emptied }
      do {
        try database.prepare(options)
        store = try await database.load(options, makeStore)
      } catch let error as StoreFileError where options.repair.isFor(error) {
        do {
          try await FileRepair(database, tables, options).run(scratch: makeStore(.empty))
          try Task.checkCancellation()
        } catch {
          FileNames.removeDatabase(FileRepair.part(of: url))
          throw error
        }
        try database.close()
        try FileRepair.complete(url, owner)
        try FileRepair.replaceDamaged(url, owner)
        database = try FileDatabase(url, tables, options, owner: owner)
        store = try await database.load(options, makeStore)
      }
      if database.contents.version == 0, let seed {
        let empty = store.snapshot()
        do {
          try await store.write(origin: "seed") { tx in try seed(&tx) }
          try await database.write(store.snapshot().difference(from: empty))
        } catch {
          // Also if this task was cancelled.
          try? await Task { [database] in try await database.endVersions(at: empty.version) }.value
          throw error
        }
      }
      owner.mark()
      let writer = FileWriter(
        database, owner, store, since: store.snapshot(), retryDelay: options.retryDelay)
      let damage = database.reportDamage()
      writer.run()
      return StoreFile(url, store, tables, damage, writer)
    } catch {
      // Versions are reserved when the file was read, and it was cancelled afterwards.
      if error is CancellationError, database.contents.reserved > database.contents.storeVersion {
        let version = Version(database.contents.storeVersion)
        try? await Task { [database] in try await database.endVersions(at: version) }.value
      }
      try? database.close()
      // A copy that cannot be used would stand in the way of a better one.
      if isCopied { FileNames.removeDatabase(url) }
      throw error
    }
  }

  /// Opens the file for reading only.
  private func read() async throws -> StoreFile {
    var attempts = 0
    while true {
      attempts += 1
      let database = try FileDatabase(try FileRepair.current(url), tables, options)
      do {
        defer { try? database.close() }
        let store = try await database.load(options, makeStore)
        if !database.isOutdated { return StoreFile(url, store, tables, database.contents.damagedRows, nil) }
      } catch {
        if !database.isOutdated { throw error }
      }
      // An owner began to write while the file was read without its log. The next attempt reads the log.
      if attempts == 10 {
        throw StoreFileError(
          .ioFailed, "The file \(url.path) was written each time while it was read. Try again.")
      }
    }
  }

  /// Refuses what is no file of a store, before anything is made or changed.
  ///
  /// - Parameter header: the header of the file if it is damaged.
  private func refuseForeign(_ header: FileHeader?) throws {
    guard let stamp = try FileStamp.existing(url.path), try !FileRepair.isRepaired(url) else { return }
    let size = stamp.size
    if !stamp.isRegular, !stamp.isFolder {
      throw StoreFileError(.notAStoreFile, "\(url.path) is no regular file.")
    }
    if size == 0 {
      // A new one is empty for a moment, with its owner beside it.
      if try FileStatus.of(FileOwner.path(of: url)) == nil { throw emptied }
      return
    }
    // SQLite takes it for an empty one.
    if size < 512 {
      throw StoreFileError(.notAStoreFile, "The file \(url.path) is no database: it has \(size) bytes.")
    }
    if RollbackJournal.isOfMaking(url) { return }
    do {
      let connection = try ReadConnection(url)
      defer { try? connection.queue.close() }
      try connection.read(url) { db in
        try FileContents.requireOwnOrEmpty(db)
      }
    } catch let error as StoreFileError where error.code != .notAStoreFile || header != nil {
      // What cannot be read now is judged at opening.
    }
  }

  private var emptied: StoreFileError {
    StoreFileError(
      .damaged,
      "The file \(url.path) is empty, and no new one. Restore it from a backup, or remove it to start with an empty store."
    )
  }

  /// Refuses names that cannot be names of tables, or of columns.
  private func checkNames() throws(StoreFileError) {
    var names: Set<String> = []
    for table in tables
    where !TableNames.isAllowed(table.name) || !names.insert(table.name.foldedAsName).inserted {
      throw StoreFileError(
        .mismatch,
        "The entity \(table.name) cannot be a table: its name is reserved, cannot be read, or is that of another but for its case.",
        table: table.name)
    }
    for table in tables {
      guard let (name, other) = table.conflictingProperties else { continue }
      throw StoreFileError(
        .mismatch,
        "The properties \(name) and \(other) of \(table.name) cannot both be columns: case makes no difference in SQLite. Encode one of them under another key.",
        table: table.name)
    }
  }

  /// Makes the file as a copy of another, complete or not at all.
  private func copy(_ other: URL) async throws {
    let seed = try FileRepair.current(other.withoutLinks)
    guard try FileStatus.of(seed.path) != nil else {
      throw StoreFileError(.notFound, "There is no file \(seed.path) to begin with.")
    }
    let part = URL(fileURLWithPath: url.path + "-seed-copy")
    if seed.path == part.path {
      throw StoreFileError(
        .ioFailed, "The file \(seed.path) has the name of a copy that is not complete. Rename it.")
    }
    FileNames.removeDatabase(part)
    // After an error. A copy that is complete has another name by then.
    defer { FileNames.removeDatabase(part) }
    let progress = ProgressReporter(options.progress)
    try RegularFile.copyDatabase(seed, to: part, isNew: true, progress)
    let database = try FileDatabase(part, tables, options)
    try await database.adoptKey(options.key, progress)
    try await database.becomeCopy()
    try await database.checkpoint()
    try database.close()
    try FileNames.moveDurably(part.path, to: url)
  }
}
