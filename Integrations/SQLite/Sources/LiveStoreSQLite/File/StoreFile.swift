public import Crypto
public import Foundation
public import LiveStore

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
/// Keep the `StoreFile` while you write to the store. When it is released, the store is closed, and what was committed is
/// still written; if that fails several times, it is lost: call ``close()``, which tells you.
public final class StoreFile: Sendable {
  /// The store. All that it offers works as with any other.
  public let store: Store
  /// What a repair left out of a damaged file, with ``Options/Repair/skipDamagedRows``. The file keeps the list until it is
  /// written or closed after an opening that has returned it, so that it is not lost if the process ends before.
  public let damagedRows: [DamagedRow]
  /// Nil if the file is only read.
  private let writer: FileWriter?
  /// The version of the store that was read from the file.
  private let openedVersion: Version
  let tables: [any EntityTable]
  /// Where the file is.
  let url: URL

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
    return try await FileOpening(url, tables, options, maker(options, repeat each types)).run(seed: seed)
  }

  /// Opens a file, or makes it as a copy of another: of one that comes with the app, or of a backup.
  ///
  /// ```swift
  /// let file = try await StoreFile.open(at: url, Recipe.self, seededFrom: shipped)
  /// ```
  /// The copy is migrated as the file would be, and encrypted if the options have a key and the other file is not.
  /// - Parameters:
  ///   - url: where the file is.
  ///   - types: the entities of the store.
  ///   - seed: a file of a store, which is not open for writing. It is not changed.
  ///   - options: how the file is opened and written.
  /// - Throws: as ``open(at:_:options:seed:)``; `notFound` if the other file is needed and not there.
  /// - Complexity: O(*n*) for *n* objects.
  @concurrent
  public static func open<each Element: Entity & Codable>(
    at url: URL, _ types: repeat (each Element).Type, seededFrom seed: URL, options: Options = Options()
  ) async throws -> StoreFile {
    var tables: [any EntityTable] = []
    repeat tables.append(TypedTable<each Element>())
    return try await FileOpening(url, tables, options, maker(options, repeat each types)).run(copying: seed)
  }

  private static func maker<each Element: Entity & Codable>(
    _ options: Options, _ types: repeat (each Element).Type
  ) -> StoreMaker {
    { beginning in
      try Store(
        repeat each types, identity: beginning.identity, version: beginning.version,
        lostVersions: beginning.lostVersions, isReadOnly: beginning.isReadOnly,
        configuration: options.configuration, restoring: beginning.restore)
    }
  }

  init(
    _ url: URL, _ store: Store, _ tables: [any EntityTable], _ damagedRows: [DamagedRow],
    _ writer: FileWriter?
  ) {
    self.url = url
    (self.store, self.tables, self.damagedRows, self.writer) = (store, tables, damagedRows, writer)
    openedVersion = store.version
  }

  /// Removes a file, and what stands beside it. Nothing happens if there is none.
  ///
  /// ```swift
  /// try StoreFile.remove(at: url)
  /// ```
  /// - Throws: `inUse` if it is open; `notAStoreFile` for what is no file of a store, or no file, which stays with all
  ///   that is beside it; `ioFailed`.
  public static func remove(at url: URL) throws {
    try url.requireFile()
    let url = url.withoutLinks
    try RegularFile.requireStoreFile(url)
    let logs = [""] + FileNames.logs
    // A repaired file would be taken for the file. Then the file itself: without it, there is none, whatever is left.
    let repaired = try FileRepair.isRepaired(url) ? logs.map { "-repaired" + $0 } : []
    let names =
      repaired + logs + ["-repair", "-seed-copy"].flatMap { part in logs.map { part + $0 } }
      + DamagedCopy.suffixes.flatMap { copy in (logs + ["-part"]).map { copy + $0 } }
    let isThere = { (suffix: String) in try FileStatus.of(url.path + suffix) != nil }
    guard try (names + ["-owner"]).contains(where: isThere) else { return }
    let owner = try FileOwner(of: url)
    defer { owner.release() }
    for suffix in names where try isThere(suffix) {
      // A folder of the name stays, with all that is in it.
      guard unlink(url.path + suffix) == 0 else {
        let reason = String(cString: strerror(errno))
        if owner.isNew { owner.removeLock() }
        throw StoreFileError(.ioFailed, "The file \(url.path + suffix) cannot be removed: \(reason).")
      }
    }
    owner.removeLock()
  }
}

// MARK: Writing

extension StoreFile {
  /// The newest version that is in the file.
  public var durableVersion: Version { writer?.durableVersion ?? openedVersion }

  /// Waits until a version, or a later one, is in the file.
  ///
  /// ```swift
  /// try await file.durable(through: store.version)
  /// ```
  /// - Throws: `ioFailed` and other errors of the attempt to write it, which is repeated nevertheless; `moved` if the file
  ///   was removed, renamed or replaced since it was opened, which no attempt mends; `closed` if the
  ///   file was closed before it had the version; `readOnly` if the version was not read from a file that is only read;
  ///   `CancellationError`.
  public func durable(through version: Version) async throws {
    if let writer { return try await writer.durable(through: version) }
    if version > openedVersion { throw Self.readOnlyError }
  }

  private static let readOnlyError = StoreFileError(
    .readOnly, "The file is open for reading only. Open it without isReadOnly.")

  /// What writes to the file.
  ///
  /// - Throws: `readOnly`.
  private func requireWriter() throws(StoreFileError) -> FileWriter {
    guard let writer else { throw Self.readOnlyError }
    return writer
  }

  /// Writes a transaction, and waits until it is in the file. Transactions that wait at the same time share the wait.
  ///
  /// ```swift
  /// try await file.write { tx in try tx.insert(post) }
  /// ```
  /// - Throws: as `Store.write`, and `readOnly`, after which nothing is written; as ``durable(through:)``, after which the
  ///   store has the transaction and the file may get it later.
  @discardableResult
  public func write<Result: Sendable>(
    origin: String? = nil, _ body: @Sendable (inout WriteTransaction) throws -> Result
  ) async throws -> Result {
    _ = try requireWriter()
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

  /// Writes what was committed, and closes the store and the file. Cancelling the task does not end it.
  ///
  /// - Throws: as ``durable(through:)``; then nothing is closed, and it can be called again, but after `moved`. `closed` if what was committed
  ///   during the call could not be written in several attempts: the store and the file are closed without it.
  public func close() async throws {
    guard let writer else { return store.close() }
    try await Task {
      do {
        try await writer.durable(through: store.version)
      } catch let error as StoreFileError where error.code == .moved {
        // It never will be: it is closed nevertheless.
        try await writer.close()
        throw error
      }
      try await writer.close()
    }.value
  }

  /// Writes a copy of the file: all that is committed when it is called, in the least room.
  ///
  /// ```swift
  /// try await file.backup(to: folder.appendingPathComponent("backup.db"))
  /// ```
  /// The store goes on meanwhile, and so does writing the file. It waits for a change of the key, a compaction or another
  /// backup that is running. A file of that name is replaced once the copy is complete. To go back to a backup, give it to ``open(at:_:seededFrom:options:)``.
  /// - Parameters:
  ///   - url: where the copy is to be.
  ///   - progress: called now and then, with the bytes that were read of those that the file needs.
  /// - Throws: as ``durable(through:)``, `moved` among them, also `CancellationError` until the copy is complete; `inUse` if the file of that name is open, as this one is, or another backup is
  ///   written to it; `notAStoreFile` for a name of what is no file of a store; `ioFailed`; `closed`; `readOnly`. Then what had the name is as before, but for a repair that was
  ///   not complete, which is completed.
  @concurrent
  public func backup(to url: URL, progress: (@Sendable (Progress) -> Void)? = nil) async throws {
    let writer = try requireWriter()
    try url.requireFile()
    let target = url.withoutLinks
    try RegularFile.requireOwnLogs(target)
    try RegularFile.requireStoreFile(target)
    try await writer.durable(through: store.version)
    try await writer.backup(to: target, ProgressReporter(progress))
  }

  /// Gives the room that deleted objects had back to the file system.
  ///
  /// ```swift
  /// try await file.compact()
  /// ```
  /// The store goes on meanwhile; what is committed is written to the file afterwards, so a caller that waits for it waits
  /// for both. It takes about twice as much room
  /// as the file, and as much memory, until it is done. The columns of properties that are gone are removed, too, with what they had.
  /// - Parameter progress: called now and then, with the rows that are written without such columns, if there are any, and
  ///   then with bytes.
  /// - Throws: `ioFailed`, also if another process reads the file so that the room cannot be given back; `closed`;
  ///   `readOnly`; `CancellationError`. Then the file has the same objects as before.
  /// - Complexity: O(*n*) for *n* objects in the file.
  public func compact(progress: (@Sendable (Progress) -> Void)? = nil) async throws {
    try await requireWriter().compact(ProgressReporter(progress))
  }

  /// Encrypts the file with another key, or a file that was not encrypted, or stores it unencrypted.
  ///
  /// ```swift
  /// try await file.changeKey(to: SymmetricKey(size: .bits256))
  /// ```
  /// All objects are written again, beside the old ones, until one transaction puts them in their place: after a crash or a
  /// loss of power, the file has the old key or the new one. Then what was stored under the old one is overwritten. Copies
  /// elsewhere keep their key: backups, and the file that a repair kept with `-damaged` after its name. The file has up to
  /// twice its size then; ``compact(progress:)`` gives the room back.
  ///
  /// The store goes on meanwhile, and so does writing the file: all is done in small portions, and a transaction waits for
  /// one of them. The change waits for another one, a compaction or a backup that is running.
  ///
  /// Cancelling the task ends it as long as the file has the old key, which it has after a `CancellationError`: what was
  /// written under the new one is overwritten before the call returns; if that fails, the error is no `CancellationError`,
  /// and says so. Later, it goes on to its end. ``close()`` waits for it.
  /// - Parameters:
  ///   - key: the new key, of 128 bits at the least; nil for none.
  ///   - progress: called now and then, with the rows that are written, and then with the rows that are overwritten.
  /// - Throws: `wrongKey` if the key is too short; `CancellationError`; `ioFailed` and `damaged`, whose messages say which key
  ///   the file has: keep both until a later ``durable(through:)`` or change of the key succeeds; `closed`; `readOnly`.
  /// - Complexity: O(*n*) for *n* objects.
  public func changeKey(
    to key: SymmetricKey?, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws {
    try await requireWriter().changeKey(to: key, ProgressReporter(progress))
  }

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

    /// About how many bytes what is not yet in the file has as rows: the objects that differ, by a sample of them. What
    /// SQLite adds, such as its log and the rest of a page, is not counted.
    public var lagBytes: Int
    /// How many bytes the log has: what was written since it was last moved to the file itself.
    public var logBytes: Int
    /// How many times something was sealed in this file with its key, rows and what the file says about itself, since it
    /// has format 2; 0 without a key, and for a file that is only read. Change the key before there are 2³² (four billion),
    /// with those of copies that have the key.
    public var sealCount: Int

    /// How many versions are not yet in the file.
    public var lag: Int { Int(version.number - durableVersion.number) }
    /// How long writing took on average, from encoding the objects until the disk has them.
    public var timePerSync: Duration { syncs == 0 ? .zero : writingTime / syncs }
  }

  /// Figures about writing, of this moment.
  ///
  /// - Complexity: O(*k* log *n*) for *k* objects that are not yet in the file as they are, 128 of each entity encoded.
  public var metrics: Metrics {
    writer?.metrics
      ?? Metrics(
        version: store.version, durableVersion: openedVersion, syncs: 0, writingTime: .zero, failures: 0,
        lagBytes: 0, logBytes: Int(ReadConnection.logSize(url)), sealCount: 0)
  }
}
