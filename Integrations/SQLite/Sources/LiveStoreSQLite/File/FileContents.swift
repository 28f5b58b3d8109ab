import Crypto
import Foundation
import GRDB
import LiveStore

/// What the file says about itself: its version, and its tables with their columns, number of rows and checksums.
///
/// It is JSON text in the table `livestore_file`, beside a checksum, or sealed like the rows.
struct FileContents: Sendable {
  /// The format in which the file was written.
  var format = Self.format
  /// How many versions have been written to the file.
  var version: Int64 = 0
  /// What names the store, also when the file is opened again; a copy has another one.
  var identity = UUID()
  /// The version of the store that the file has.
  var storeVersion: UInt64 = 0
  /// The greatest version that the store can have had: that of the file, or above it while the file is open. So a version
  /// that was lost when the process ended is never given to another state.
  var reserved: UInt64 = 0
  /// The versions that were lost, or may have been, in ascending order.
  var lostVersions: [ClosedRange<Version>] = []
  /// The version of the schema that it was written with.
  var schema = 1
  var tables: [String: TableRecord] = [:]
  /// The renamings and additions that the file has passed, in the order in which it did.
  var changes: [SchemaChange] = []
  /// Whether a migration has given a table the name of another one, and so its places.
  var hasMovedPlaces = false
  /// The next places of tables that a migration has removed: one of the name that it makes afterwards goes on with them.
  var removedPlaces: [String: UInt64] = [:]
  /// How often something was sealed with the key of the file, without these contents.
  var seals: Int64 = 0
  /// Whether pages that are not used may have what was stored under another key.
  var hasRemains = false
  /// What the last repair left out, until the file is written after an opening that has reported it.
  var damagedRows: [DamagedRow] = []

  /// The table of a name, or of one that differs by case alone, which is the same to SQLite.
  func table(likeNamed name: String) -> TableRecord? {
    tables[name] ?? tables.values.first { $0.name.foldedAsName == name.foldedAsName }
  }

  /// Marks the files of this library for SQLite and `file(1)`.
  static let applicationID: Int64 = 0x4C53_4653
  /// The format of the files that are made now; later ones have larger numbers. What differs is in the article FileFormat.
  static let format: Int64 = 2
  /// The formats that are read. A file of an earlier one is written in today's when it is opened for writing.
  static let formats = 1...format

  /// Makes an empty database a file.
  func create(_ format: RowFormat, _ db: Database) throws {
    try db.execute(
      sql: """
        PRAGMA application_id = \(Self.applicationID);
        PRAGMA user_version = \(self.format);
        \(Self.declaration);
        """)
    try write(format, to: db)
  }

  /// Writes them, as the last part of a transaction.
  func write(_ format: RowFormat, to db: Database) throws {
    var contents = self
    if case .sealed(let key) = format { contents.seals = key.sealCount + 1 }
    let text = "\(contents.json)"
    var values: [(key: String, value: ColumnValue)]
    switch format {
    case .columns: values = [("contents", .text(text)), ("check", .integer(Self.checksum(text)))]
    case .sealed(let key):
      values = [
        ("contents", .blob(try key.seal(Array(text.utf8), .contents))), ("salt", .blob(key.salt)),
        ("check", .blob(key.check)),
      ]
    }
    let places = Array(repeating: "(?, ?)", count: values.count).joined(separator: ", ")
    try db.cachedStatement(sql: "INSERT OR REPLACE INTO livestore_file VALUES \(places)").execute(
      arguments: StatementArguments(values.flatMap { [$0.key.databaseValue, $0.value.databaseValue] }))
    // A copy's owner has written it: it is a store of its own.
    let others = format.isSealed ? "= 'copy'" : "IN ('copy', 'salt')"
    try db.cachedStatement(sql: "DELETE FROM livestore_file WHERE key \(others)").execute()
  }

  static func checksum(_ text: String) -> Int64 { RowChecksum.of(text) }

  /// Makes the file one of today's format, within a transaction that writes all of its rows.
  mutating func renew(_ db: Database) throws {
    format = Self.format
    try db.execute(sql: "PRAGMA user_version = \(format)")
  }
}

// MARK: Versions of the store

extension FileContents {
  /// How many versions a store may be ahead of its file: as many as no disk that fails lets come together. After so many
  /// crashes that they would run out, 2²⁷, the store is another one.
  private static let reservation: UInt64 = 1 << 32
  /// How many ranges of lost versions a file has, which do not grow with its crashes.
  static let maximumLost = 64
  /// The versions that a file may say.
  static let versions: ClosedRange<Int64> = 0...1 << 60

  /// Has the store, which is opened for writing, go on: at the version of the file, unless later ones may have been lost
  /// (X11).
  ///
  /// - Parameters:
  ///   - before: what the file said before it was migrated.
  ///   - isMigrated: whether the objects differ from those of that version.
  ///   - reserves: whether versions are reserved.
  mutating func goOn(from before: Self, isMigrated: Bool, reserves: Bool) {
    if reserved > storeVersion {
      lostVersions.append(Version(storeVersion + 1)...Version(reserved))
      storeVersion = reserved + 1
      // What lies between the oldest counts as lost, too.
      if lostVersions.count > Self.maximumLost {
        lostVersions[0] = lostVersions[0].lowerBound...lostVersions.remove(at: 1).upperBound
      }
    } else if isMigrated, storeVersion > 0 {
      storeVersion += 1
    }
    let isTooLarge = storeVersion > UInt64(Self.versions.upperBound) / 2
    if isTooLarge { storeVersion = 1 }
    let hasRemoved = before.tables.keys.contains { tables[$0] == nil }
    if isTooLarge || !reserves || hasRemoved || hasMovedPlaces { becomeCopy() }
  }

  /// The greatest number of versions that a file may say were written to it; what a sealed row may have; what is written; and what
  /// a repair goes on from. Each is above the next, so that what is written is read.
  static let maximumVersion: Int64 = 1 << 62
  static let highestOfRow = maximumVersion / 2
  static let highestWritten = maximumVersion / 4
  static let highestRepaired = maximumVersion / 8

  /// Checks that there is room for places and versions behind those that the file has given.
  ///
  /// - Throws: `damaged`: none that was written has so many; `invalidMigration` if there are too many tables.
  func requireRoom() throws(StoreFileError) {
    if tables.count > Self.maximumTables {
      throw StoreFileError(
        .invalidMigration,
        "A file has no more than \(Self.maximumTables) tables, and this would be \(tables.count).")
    }
    if version >= Self.highestWritten {
      throw StoreFileError(
        .damaged, "The file is damaged: its number of versions is too large.\(Self.advice)")
    }
    for table in tables.values where table.next >= TableReader.places.upperBound / 2 {
      throw StoreFileError(
        .damaged, "The table \(table.name) is damaged: its places are too large.\(Self.advice)",
        table: table.name)
    }
  }

  /// Reserves versions for a store of which the file has one.
  mutating func reserve(beyond version: Version) {
    storeVersion = version.number
    if reserved < storeVersion + Self.reservation / 2 { reserved = storeVersion + Self.reservation }
  }

  /// Makes it that of a copy, with which another store goes on (X11).
  mutating func becomeCopy() {
    identity = UUID()
    reserved = storeVersion
    lostVersions = []
  }
}
