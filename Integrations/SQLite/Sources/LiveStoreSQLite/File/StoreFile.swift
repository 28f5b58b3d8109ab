public import Foundation
public import LiveStore
import Synchronization

/// A store that a file follows: the store stays in memory and keeps its speed, and the file has exactly one version of
/// it at a time, which survives the process and the crash.
///
/// ```swift
/// let file = try await StoreFile.open(at: url, Post.self, User.self)   // reads what is there, or makes it
/// let store = file.store                              // as any other store
/// try await store.write { tx in try tx.insert(post) } // in memory at once; the file follows
/// try await file.durable(through: store.version)      // wait until it would survive
/// try await file.close()
/// ```
/// The file is an SQLite database. An entity is a table of its name, and a property, by its coding key, is a column:
/// numbers, texts and data as they are, a `UUID` as its 16 bytes, a `Date` as text such as `2026-11-25 08:30:00.250`, a
/// link as the id it names, and everything else as JSON text. So other programs can read it while it is open. They
/// must not write to it.
///
/// What is committed is written in the background, as one transaction of SQLite for all commits since the last: a slow
/// disk makes more commits share one, and never holds back a writer in memory.
///
/// Keep the `StoreFile` while you write to the store. When it is released, what was committed is still written, and the
/// store is closed.
public final class StoreFile: Sendable {
  /// The store. All that it offers works as with any other.
  public let store: Store
  /// What was left out of a damaged file, with ``Options/Repair/skipDamagedRows``.
  public let damagedRows: [DamagedRow]
  private let writer: FileWriter?

  private init(_ store: Store, _ damagedRows: [DamagedRow], _ writer: FileWriter?) {
    (self.store, self.damagedRows, self.writer) = (store, damagedRows, writer)
  }

  deinit { writer?.finish() }

  /// Opens a file, or makes it.
  ///
  /// ```swift
  /// let file = try await StoreFile.open(at: url, Post.self, User.self) { tx in
  ///   try tx.insert(Self.welcome)            // only when the file is new
  /// }
  /// ```
  /// Objects are read in insertion order, and checked: each row against its checksum, each table against its number of
  /// rows, links and unique properties as at any commit. A table of an entity that is not named stays as it is.
  /// - Parameters:
  ///   - url: where the file is. Beside it stand SQLite's `-wal` and `-shm`, and `-owner`, whose lock keeps two owners
  ///     apart; they belong to it.
  ///   - types: the entities of the store.
  ///   - options: how it is opened and written.
  ///   - seed: writes the first objects of a new file.
  /// - Throws: a ``StoreFileError``; `CancellationError`; a `StoreError` if the objects break a rule of their schemas,
  ///   which names entity, id and property; what the seed throws, after which the file is as new as before.
  /// - Complexity: O(*n*) for *n* objects.
  @concurrent
  public static func open<each Element: Entity & Codable>(
    at url: URL, _ types: repeat (each Element).Type, options: Options = Options(),
    seed: (@Sendable (inout WriteTransaction) throws -> Void)? = nil
  ) async throws -> StoreFile {
    var tables: [any EntityTable] = []
    repeat tables.append(TypedTable<each Element>())
    let store = try Store(repeat each types)
    return try await open(url, store, tables, options, seed)
  }

  private static func open(
    _ url: URL, _ store: Store, _ tables: [any EntityTable], _ options: Options,
    _ seed: (@Sendable (inout WriteTransaction) throws -> Void)?
  ) async throws -> StoreFile {
    try check(tables)
    let exists = FileManager.default.fileExists(atPath: url.path)
    if options.isReadOnly {
      if !exists { throw StoreFileError(.notFound, "There is no file \(url.path).") }
      let database = try FileDatabase(url, tables, options)
      _ = try database.load(into: store, options)
      try database.close()
      return StoreFile(store, [], nil)
    }
    let wasOwned = FileManager.default.fileExists(atPath: FileOwner.path(of: url))
    let size = (try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int) ?? 0
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
    let empty = store.snapshot()
    var database = try FileDatabase(url, tables, options)
    var (contents, saved) = (FileContents(), empty)
    var damage: [DamagedRow] = []
    do {
      try database.prepare()
      contents = try database.load(into: store, options)
      saved = store.snapshot()
      if contents.version == 0, let seed { try await store.write(origin: "seed") { tx in try seed(&tx) } }
    } catch let error as StoreFileError
      where options.repair == .skipDamagedRows && error.code == .damaged
    {
      damage = try database.salvage(into: store)
      try database.close()
      saved = store.snapshot()
      contents = try await replace(url, tables, options, by: saved, since: empty)
      database = try FileDatabase(url, tables, options)
    }
    let writer = FileWriter(database, owner, store, contents, since: saved, retryDelay: options.retryDelay)
    writer.run()
    let file = StoreFile(store, damage, writer)
    try await file.durable(through: store.version)
    owner.mark()
    return file
  }

  /// Refuses names that cannot be names of tables.
  private static func check(_ tables: [any EntityTable]) throws(StoreFileError) {
    var names: Set<String> = []
    for table in tables {
      let name = table.name.lowercased()
      if name.hasPrefix("sqlite_") || name.hasPrefix("livestore_") || !names.insert(name).inserted {
        throw StoreFileError(
          .mismatch,
          "The entity \(table.name) cannot be a table: its name is reserved, or that of another but for its case.",
          table: table.name)
      }
    }
  }

  /// Writes a version to a new file, which takes the name of a damaged one when it is complete. The damaged one is kept
  /// under another.
  ///
  /// - Returns: what the new file contains.
  private static func replace(
    _ url: URL, _ tables: [any EntityTable], _ options: Options, by version: Snapshot, since empty: Snapshot
  ) async throws -> FileContents {
    let files = FileManager.default
    let part = URL(fileURLWithPath: url.path + "-repair")
    for suffix in ["", "-wal", "-shm"] { try? files.removeItem(atPath: part.path + suffix) }
    let database = try FileDatabase(part, tables, options)
    try database.prepare()
    let contents = try await database.write(version.difference(from: empty), to: FileContents())
    // Closing would do that, too, but would not tell if it failed.
    try await database.checkpoint()
    try database.close()
    for suffix in ["", "-wal"] where files.fileExists(atPath: url.path + suffix) {
      let kept = url.path + suffix + "-damaged"
      try? files.removeItem(atPath: kept)
      // The log goes first: it must not be taken for that of the new file.
      if suffix.isEmpty {
        try files.linkItem(atPath: url.path, toPath: kept)
      } else {
        try files.moveItem(atPath: url.path + suffix, toPath: kept)
      }
    }
    try? files.removeItem(atPath: url.path + "-shm")
    try FileOwner.moveDurably(part.path, to: url)
    return contents
  }

  /// Removes a file, and what stands beside it. Nothing happens if there is none.
  ///
  /// ```swift
  /// try StoreFile.remove(at: url)
  /// ```
  /// - Throws: `inUse` if it is open; `ioFailed`.
  public static func remove(at url: URL) throws {
    let files = FileManager.default
    let owner = files.fileExists(atPath: FileOwner.path(of: url)) ? try FileOwner(of: url) : nil
    for suffix in ["-wal", "-shm", "", "-repair", "-owner"] where files.fileExists(atPath: url.path + suffix)
    {
      do {
        try files.removeItem(atPath: url.path + suffix)
      } catch {
        throw StoreFileError(.ioFailed, "The file \(url.path + suffix) cannot be removed: \(error)")
      }
    }
    withExtendedLifetime(owner) {}
  }
}

// MARK: Writing

extension StoreFile {
  /// The newest version that is in the file.
  public var durableVersion: Version { writer?.durableVersion ?? store.version }

  /// Waits until a version, or a later one, is in the file.
  ///
  /// ```swift
  /// try await file.durable(through: store.version)
  /// ```
  /// - Throws: `ioFailed` and other errors of the attempt to write it, which is repeated nevertheless; `closed` if the
  ///   file was closed before it had the version; `CancellationError`.
  public func durable(through version: Version) async throws { try await writer?.durable(through: version) }

  /// Writes a transaction, and waits until it is in the file. Transactions that wait at the same time share the wait.
  ///
  /// ```swift
  /// try await file.write { tx in try tx.insert(post) }
  /// ```
  /// - Throws: as `Store.write`, after which nothing is written; as ``durable(through:)``, after which the store has the
  ///   transaction and the file may get it later.
  @discardableResult
  public func write<Result: Sendable>(
    origin: String? = nil, _ body: @Sendable (inout WriteTransaction) throws -> Result
  ) async throws -> Result {
    let (result, version) = try await store.write(origin: origin) { tx in (try body(&tx), tx.version) }
    try await durable(through: min(version, store.version))
    return result
  }

  /// What writing the file is doing, now and from now on. It ends when the file is closed.
  ///
  /// ```swift
  /// for await state in file.states {
  ///   if case .failing(let error) = state { show(error.message) }
  /// }
  /// ```
  public var states: AsyncStream<State> { writer?.states ?? AsyncStream { $0.finish() } }

  /// What writing a file is doing.
  public enum State: Sendable, Equatable {
    /// The file has this version.
    case durable(Version)
    /// Writing failed. The store goes on, and writing is tried again after a while, and when someone waits for it.
    case failing(StoreFileError)
  }

  /// Writes what was committed, and closes the store and the file.
  ///
  /// - Throws: as ``durable(through:)``. Then nothing is closed.
  public func close() async throws {
    guard let writer else { return store.close() }
    try await writer.durable(through: store.version)
    try await writer.close()
  }

  /// Writes a copy of the file: all that is committed when it is called, in the least room.
  ///
  /// ```swift
  /// try await file.backup(to: folder.appendingPathComponent("backup.db"))
  /// ```
  /// The store goes on meanwhile; what is committed is written to the file afterwards. A file of that name is replaced
  /// once the copy is complete.
  /// - Throws: as ``durable(through:)``; `ioFailed`.
  public func backup(to url: URL) async throws {
    guard let writer else {
      throw StoreFileError(
        .closed, "The file is open for reading only. Copy it with the tools of the system.")
    }
    try await writer.durable(through: store.version)
    try await writer.backup(to: url)
  }

  /// Gives the room that deleted objects had back to the file system.
  ///
  /// ```swift
  /// try await file.compact()
  /// ```
  /// The store goes on meanwhile; what is committed is written to the file afterwards. It takes as much room as the file,
  /// until it is done.
  /// - Throws: `ioFailed`; then the file is as before.
  public func compact() async throws { try await writer?.compact() }

  /// Figures about writing.
  public struct Metrics: Sendable, Equatable {
    /// The newest version of the store.
    public var version: Version
    /// The newest version that is in the file.
    public var durableVersion: Version
    /// How many times something was written, each with one wait for the disk.
    public var syncs: Int
    /// How long all of these took, with encoding.
    public var writingTime: Duration
    /// How many attempts failed.
    public var failures: Int

    /// How many versions are not yet in the file.
    public var lag: Int { Int(version.number - durableVersion.number) }
  }

  /// Figures about writing, of this moment.
  public var metrics: Metrics {
    writer?.metrics
      ?? Metrics(
        version: store.version, durableVersion: store.version, syncs: 0, writingTime: .zero, failures: 0)
  }
}
