import Foundation
import GRDB
import LiveStore

/// The connection to a file: reading it into a store, and writing differences to it.
struct FileDatabase: Sendable {
  private let queue: DatabaseQueue
  private let url: URL
  private let tables: [any EntityTable]

  /// - Throws: `notFound`, `notAStoreFile`, `ioFailed`.
  init(_ url: URL, _ tables: [any EntityTable], _ options: StoreFile.Options) throws {
    (self.url, self.tables) = (url, tables)
    var configuration = Configuration()
    configuration.readonly = options.isReadOnly
    configuration.label = "LiveStore file"
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { db in
      if !options.isReadOnly {
        try db.execute(sql: "PRAGMA journal_mode = WAL")
        try db.execute(sql: "PRAGMA synchronous = \(options.durability == .full ? "FULL" : "NORMAL")")
      }
      // What is damaged is found where it is read.
      try db.execute(sql: "PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF")
    }
    queue = try Self.translating(url) { try DatabaseQueue(path: url.path, configuration: configuration) }
  }

  func close() throws { try queue.close() }

  /// Makes what an empty file needs.
  ///
  /// - Throws: `notAStoreFile`, `ioFailed`.
  func prepare() throws {
    try Self.translating(url) {
      try queue.writeWithoutTransaction { db in
        guard try FileContents.isEmpty(db) else { return }
        try db.inTransaction(.immediate) {
          try FileContents.create(db)
          return .commit
        }
      }
    }
  }

  /// Reads the file into an empty store: one version, whatever another process writes meanwhile.
  ///
  /// - Returns: what the file contains.
  /// - Throws: `notAStoreFile`, `newerFormat`, `damaged`, `mismatch`, `ioFailed`; a `StoreError`. Then the store is
  ///   still empty.
  func load(into store: Store, _ options: StoreFile.Options) throws -> FileContents {
    try Self.translating(url) {
      try queue.writeWithoutTransaction { db in
        var contents = FileContents()
        try db.inTransaction(.deferred) {
          contents = try FileContents(db)
          try load(&contents, db, into: store, options)
          return .commit
        }
        return contents
      }
    }
  }

  private func load(
    _ contents: inout FileContents, _ db: Database, into store: Store, _ options: StoreFile.Options
  ) throws {
    let total = tables.reduce(0) { $0 + (contents.tables[$1.name]?.rows ?? 0) }
    try store.write(origin: "file") { tx in
      var before = 0
      for table in tables {
        guard let promised = contents.tables[table.name] else { continue }
        var reader = try TableReader(promised, db, isRepairing: false) { [before] count in
          if count % 4_096 == 0 { options.progress?(before + count, total) }
        }
        try table.load(&reader, into: &tx)
        before += reader.record.rows
        contents.tables[table.name] = reader.record
      }
    }
    options.progress?(total, total)
  }

  /// Reads into an empty store what is whole in a damaged file.
  ///
  /// - Returns: what was left out.
  /// - Throws: an error if the file cannot be read at all.
  func salvage(into store: Store) throws -> [DamagedRow] {
    try Self.translating(url) {
      try queue.writeWithoutTransaction { db in
        let contents = try FileContents(damaged: db)
        let names = Set(tables.map(\.name))
        var damage = contents.tables.keys.filter { !names.contains($0) }.sorted().map {
          DamagedRow(
            table: $0, row: nil,
            reason: "the table was not named at opening, and stays in the damaged file alone")
        }
        var salvaged: [any SalvagedTable] = []
        for table in tables {
          guard let promised = contents.tables[table.name] else { continue }
          var reader = try TableReader(promised, db, isRepairing: true) { _ in }
          salvaged.append(try table.salvage(&reader))
          damage += reader.damage
        }
        while true {
          do {
            try store.write(origin: "file") { tx in
              for index in salvaged.indices { try salvaged[index].insert(into: &tx, &damage) }
            }
            return damage
          } catch let error as StoreError {
            // An object that breaks a rule without those that are missing is missing, too.
            guard let index = salvaged.firstIndex(where: { $0.name == error.entity }), let id = error.id,
              salvaged[index].leaveOut(id, error.message, &damage)
            else { throw error }
          }
        }
      }
    }
  }

  /// Writes what differs as one transaction.
  ///
  /// - Returns: what the file contains then.
  func write(_ difference: StoreDifference, to contents: FileContents) async throws -> FileContents {
    try await Self.translatingAsync(url) {
      try await queue.writeWithoutTransaction { db in
        var contents = contents
        try db.inTransaction(.immediate) {
          contents.version += Int64(difference.after.version.number - difference.before.version.number)
          for table in tables {
            if contents.tables[table.name] == nil {
              try db.execute(
                sql:
                  "CREATE TABLE \(quoted(table.name)) (_place INTEGER PRIMARY KEY, _check INTEGER NOT NULL)")
            }
            var writer = TableWriter(contents.tables[table.name] ?? TableRecord(table.name), db)
            try table.write(difference, to: &writer)
            contents.tables[table.name] = writer.record
          }
          try contents.write(to: db)
          return .commit
        }
        return contents
      }
    }
  }

  /// Gives the room of deleted objects back to the file system.
  func compact() async throws {
    try await Self.translatingAsync(url) {
      try await queue.writeWithoutTransaction { db in
        try db.execute(sql: "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
      }
    }
  }

  /// Moves what is in the log to the file itself.
  func checkpoint() async throws {
    try await Self.translatingAsync(url) {
      try await queue.writeWithoutTransaction { db in
        if try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)") == 0 { return }
        throw StoreFileError(.ioFailed, "The file \(url.path) is read by another process. Try again.")
      }
    }
  }

  /// Writes a copy of the file's version under another name, which is there in all or not at all.
  func backup(to target: URL) async throws {
    let part = target.path + "-part"
    try await Self.translatingAsync(target) {
      try await queue.writeWithoutTransaction { db in
        try? FileManager.default.removeItem(atPath: part)
        try db.execute(sql: "VACUUM INTO ?", arguments: [part])
      }
    }
    try FileOwner.moveDurably(part, to: target)
  }

  private static func translating<Result>(_ url: URL, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw translated(error, url)
    } catch let error as RowDecodingError {
      throw StoreFileError(.damaged, "The file \(url.path) is damaged: \(error)")
    }
  }

  private static func translatingAsync<Result: Sendable>(
    _ url: URL, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    do { return try await body() } catch let error as DatabaseError { throw translated(error, url) }
  }

  private static func translated(_ error: DatabaseError, _ url: URL) -> StoreFileError {
    let reason = error.message ?? "\(error.resultCode)"
    if error.extendedResultCode == .SQLITE_IOERR_SHORT_READ {
      return StoreFileError(.damaged, "The file \(url.path) is cut off: \(reason).")
    }
    switch error.resultCode {
    case .SQLITE_NOTADB:
      return StoreFileError(.notAStoreFile, "The file \(url.path) is no database: \(reason).")
    case .SQLITE_CORRUPT:
      return StoreFileError(.damaged, "The file \(url.path) is damaged: \(reason).")
    case .SQLITE_FULL:
      return StoreFileError(.ioFailed, "There is no room for the file \(url.path): \(reason).")
    default:
      return StoreFileError(.ioFailed, "The file \(url.path) cannot be read or written: \(reason).")
    }
  }
}
