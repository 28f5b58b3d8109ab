package import Crypto
package import Foundation
import GRDB
import LiveStore
import Synchronization

/// Reads a file without knowing its types: for tools.
///
/// It writes nothing to the file and takes no lock that its owner waits for. One version is read at a time, whatever
/// another process writes meanwhile.
///
/// State: the connection, which file it was at first, and the layouts of the tables that were read last; guarded by the
/// mutex, which is held for moments only.
package final class FileReader: Sendable {
  private let url: URL
  private let key: SymmetricKey?
  private let isKeyOptional: Bool
  private let state: Mutex<State>

  private struct State {
    var connection: ReadConnection
    let identity: UInt64?
    /// How often the file was opened.
    var openings = 1
    var layouts: [String: RowLayout] = [:]
  }

  /// - Parameters:
  ///   - key: the key of an encrypted file.
  ///   - isKeyOptional: whether the key is ignored if the file is not encrypted; else that is an error.
  /// - Throws: `notFound`, `notAStoreFile`, `ioFailed`.
  package init(_ url: URL, key: SymmetricKey?, isKeyOptional: Bool = false) throws {
    (self.url, self.key, self.isKeyOptional) = (try FileRepair.current(url.withoutLinks), key, isKeyOptional)
    let identity = try FileStamp.existing(self.url.path)?.identity
    state = Mutex(State(connection: try ReadConnection(self.url), identity: identity))
  }

  /// How many bytes the file has, and its log.
  package var size: (file: Int64, log: Int64) {
    (FileStamp(url.path)?.size ?? 0, ReadConnection.logSize(url))
  }

  // MARK: Following

  /// Differs from another mark if the file was written between them.
  package struct Mark: Equatable {
    fileprivate let openings: Int
    fileprivate let dataVersion: Int
  }

  /// The mark of this moment.
  ///
  /// - Throws: ``FileGoneError``; `ioFailed`.
  package func mark() throws -> Mark {
    guard let stamp = try FileStamp.existing(url.path) else { throw FileGoneError(.removed, url) }
    if stamp.identity != state.withLock({ $0.identity }) { throw FileGoneError(.replaced, url) }
    let connection = try current()
    var version = 0
    // Without its log, the file was opened again if it was written.
    if connection.stamp == nil {
      try connection.read(url) { db in version = try Int.fetchOne(db, sql: "PRAGMA data_version") ?? 0 }
    }
    return Mark(openings: state.withLock { $0.openings }, dataVersion: version)
  }

  /// The connection, after opening the file again if it may have been written, or has a log now.
  private func current() throws -> ReadConnection {
    let connection = state.withLock { $0.connection }
    let hasLog = try connection.stamp != nil && ReadConnection.hasLog(url)
    guard hasLog || connection.isOutdated(url) else { return connection }
    let new = try ReadConnection(url)
    state.withLock { state in
      state.connection = new
      state.openings += 1
    }
    return new
  }

  /// Ends what is being read, or copied, with an error.
  package func interrupt() { state.withLock { $0.connection }.queue.interrupt() }

  // MARK: Reading

  /// Reads one version of the file.
  ///
  /// - Parameter progress: called now and then, with the rows that are read since `FileVersion.beginReading(_:)`.
  /// - Throws: `notAStoreFile`, `newerFormat`, `wrongKey`, `damaged`, `ioFailed`; ``FileChangedError``; what the body
  ///   throws.
  package func read(
    progress: (@Sendable (StoreFile.Progress) -> Void)? = nil, _ body: (FileVersion) throws -> Void
  ) throws {
    try transaction { db in
      let key = try usedKey(db)
      let (contents, format) = try FileContents.read(db, key: key, checksPages: false)
      let progress = ProgressReporter(progress)
      try body(version(contents, format, db, progress))
      progress.end()
    }
  }

  /// Reads all that the file has, and lists what is damaged.
  ///
  /// - Parameters:
  ///   - progress: called now and then, with the bytes and then the rows that are checked.
  ///   - report: called for each row that is damaged; for what belongs to no table, with the table "".
  /// - Returns: how many rows are whole.
  /// - Throws: `notAStoreFile`, `newerFormat`, `wrongKey`, `ioFailed`; ``FileChangedError``; what the body throws.
  package func check(
    progress: (@Sendable (StoreFile.Progress) -> Void)? = nil, _ report: (DamagedRow) throws -> Void
  ) throws -> Int {
    let progress = ProgressReporter(progress)
    var rows = 0
    try transaction { db in
      let key = try usedKey(db)
      var file: (contents: FileContents, format: RowFormat)
      var hasRecords = true
      do {
        file = try progress.checkPages(db) { try FileContents.read(db, key: key) }
      } catch let error as StoreFileError where error.code == .damaged {
        try report(DamagedRow(table: error.table ?? "", row: error.row, reason: error.message))
        do {
          let rest = try FileContents.read(damaged: db, key: key)
          file = (rest.contents, rest.format)
          hasRecords = rest.hasRecords
          for row in rest.missing { try report(row) }
        } catch let error as StoreFileError where error.code == .damaged {
          // Nothing of it can be read.
          return
        }
      }
      let version = version(file.contents, file.format, db, progress)
      version.begin(.checkingRows, version.entities)
      for entity in version.entities { rows += try version.check(entity, hasRecords: hasRecords, report) }
      progress.end()
    }
    return rows
  }

  private func version(
    _ contents: FileContents, _ format: RowFormat, _ db: Database, _ progress: ProgressReporter
  ) -> FileVersion {
    let layouts = state.withLock { state in
      // Rows that are kept share the layout of their table as long as it stays the same.
      state.layouts = contents.tables.mapValues { record in
        let last = state.layouts[record.name]
        return last.flatMap { $0.columns == record.columns ? $0 : nil } ?? RowLayout(record.columns)
      }
      return state.layouts
    }
    return FileVersion(contents, format, db, layouts, progress)
  }

  /// Writes a copy of one version of the file, without its log, which is another store (X11).
  /// Rows are not read, and need no key; the file need not be open anywhere.
  ///
  /// - Parameter progress: called now and then, with the bytes that are checked and then those that are read for the copy.
  /// - Throws: `notAStoreFile`, `damaged`, `ioFailed`; ``FileTargetError``; ``FileChangedError``. Then the part may have been written
  ///   by half.
  package func backup(
    to part: PartFile, progress: (@Sendable (StoreFile.Progress) -> Void)? = nil
  ) throws {
    let progress = ProgressReporter(progress)
    let connection = try current()
    try connection.read(url) { db in
      try FileContents.requireOwn(db)
      try FileContents.requirePlain(db)
      // Rows of pages that are used more than once may have no end.
      try progress.checkPages(db) { try FileContents.requireIntact(db) }
      do throws(StoreFileError) {
        try part.make(like: url)
      } catch {
        throw FileTargetError(part.target, error.message)
      }
      do {
        try progress.copyPages(db) { try db.execute(sql: "VACUUM INTO ?", arguments: [part.url.path]) }
        try KeyChangeTables.drop(fromCopy: part.url)
        try FileContents.markCopy(part.url)
      } catch let error as DatabaseError
        where error.resultCode == .SQLITE_CANTOPEN || error.resultCode == .SQLITE_FULL
      {
        throw FileTargetError(part.target, error.message ?? "\(error.resultCode)")
      }
    }
    if connection.isOutdated(url) { throw FileChangedError(url) }
  }

  private func transaction(_ body: (Database) throws -> Void) throws {
    let connection = try current()
    do {
      try connection.read(url) { db in
        try db.inTransaction(.deferred) {
          try body(db)
          // There is nothing to commit, which fails after damage was found.
          return .rollback
        }
      }
    } catch  where connection.isOutdated(url) {
      // What looks damaged may have been written by halves.
      throw FileChangedError(url)
    }
    if connection.isOutdated(url) { throw FileChangedError(url) }
  }

  private func usedKey(_ db: Database) throws -> SymmetricKey? {
    guard isKeyOptional, try Int64.fetchOne(db, sql: "PRAGMA application_id") == FileContents.applicationID
    else { return key }
    // Without that table, the file is damaged with any key.
    guard try FileContents.hasContents(db) else { return nil }
    let salts = try Int.fetchOne(db, sql: "SELECT count(*) FROM livestore_file WHERE key = 'salt'")
    return salts == 0 ? nil : key
  }
}

/// A file that was closed when it was opened for reading, and was written before it had been read.
package struct FileChangedError: LocalizedError {
  package let errorDescription: String?

  init(_ url: URL) {
    errorDescription = "The file \(url.path) was opened and written while it was read. Try again."
  }
}

/// A copy of a file that cannot be written.
package struct FileTargetError: LocalizedError {
  package let errorDescription: String?

  init(_ url: URL, _ reason: String) {
    let isSentence = reason.utf8.last == UInt8(ascii: ".")
    errorDescription = "The file \(url.path) cannot be written: \(reason)\(isSentence ? "" : ".")"
  }
}

/// A file that is not there any more while it is followed.
package struct FileGoneError: LocalizedError {
  enum Reason { case removed, replaced }

  package let errorDescription: String?

  init(_ reason: Reason, _ url: URL) {
    errorDescription =
      switch reason {
      case .removed: "The file \(url.path) was removed."
      case .replaced: "The file \(url.path) was replaced by another."
      }
  }
}
