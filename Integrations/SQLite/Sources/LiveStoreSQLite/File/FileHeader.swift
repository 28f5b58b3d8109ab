import CSQLite
import Foundation

/// The beginning of a file, of which SQLite reads nothing if one bit of its constants is wrong
/// (“The Database Header” of sqlite.org/fileformat2.html).
struct FileHeader {
  private let bytes: [UInt8]
  /// The file when it was read.
  private let stamp: FileStamp

  /// As many bytes as a page has at the least that this library makes.
  private static let length = 4_096

  /// The header of a file that this library made, if something constant in it is wrong, so that SQLite does not read the
  /// file, or would not write it.
  ///
  /// - Throws: `ioFailed` if the file cannot be looked at.
  static func damaged(_ url: URL) throws(StoreFileError) -> FileHeader? {
    guard let stamp = try FileStamp.existing(url.path), stamp.isRegular, stamp.size >= length else {
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: length)
    // By SQLite: closing the file here would end the locks that it has in this process.
    guard csqlite_read_beginning(url.path, &bytes, CInt(length)) == SQLITE_OK else { return nil }
    let header = FileHeader(bytes: bytes, stamp: stamp)
    guard header.isOwn, header.restored != bytes, !RollbackJournal.isOfMaking(url) else { return nil }
    // SQLite reads files with a later write version, and does not write them.
    if bytes[18] > 2 { return header }
    // With a log, the number of pages is that of the log.
    if header.differing(within: 0..<28) + header.differing(within: 32..<length) == 0,
      try ReadConnection.hasLog(url)
    {
      return nil
    }
    var isReadable = false
    do {
      // The log may have the first page, too.
      try ReadConnection(url).read(url) { db in
        try FileContents.requireOwn(db)
        // What others made may compute without end; it is no fault of the header.
        isReadable = true
        try FileContents.requirePlain(db)
        isReadable = false
        try FileContents.requireIntact(db)
        isReadable = true
      }
    } catch {
      let code = (error as? StoreFileError)?.code
      return !isReadable && (code == .notAStoreFile || code == .damaged) ? header : nil
    }
    return nil
  }

  /// The header of the file if it is damaged still: until the file had its owner, another process may have repaired it.
  ///
  /// - Throws: `ioFailed` if the file cannot be looked at.
  func current(_ url: URL) throws(StoreFileError) -> FileHeader? {
    try FileStamp.existing(url.path) == stamp ? self : Self.damaged(url)
  }

  static func error(_ url: URL) -> StoreFileError {
    StoreFileError(
      .damaged,
      "The header of the file \(url.path) is damaged. Open it with repair: .skipDamagedRows to restore it.")
  }

  /// Gives the file, of which this is the header, what is constant in each. The damaged file is kept beside it, and what is
  /// in the new one is judged when it is opened.
  ///
  /// - Throws: `ioFailed`, `damaged`; `CancellationError`.
  func restore(_ url: URL, _ owner: FileOwner, _ options: StoreFile.Options) async throws {
    let part = FileRepair.part(of: url)
    FileNames.removeDatabase(part)
    do {
      // Closing the file ends this process's locks on it, those of readers. No connection writes to the file: its owner
      // is this opening, which replaces it.
      try RegularFile.copyDatabase(url, to: part, ProgressReporter(options.progress))
      try FileFailure.accessing(part) {
        let file = try FileHandle(forWritingTo: part)
        defer { try? file.close() }
        try file.write(contentsOf: restored)
      }
      let database = try FileDatabase(part, [], options)
      try await database.checkpoint()
      try database.close()
      try FileRepair.complete(url, owner)
    } catch {
      FileNames.removeDatabase(part)
      throw error
    }
    try FileRepair.replaceDamaged(url, owner)
  }

  // MARK: Constants

  private static let applicationID = (68, bigEndian(UInt32(FileContents.applicationID)))

  private static func bigEndian(_ number: UInt32) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian, Array.init)
  }

  /// Whether the file is one that this library made: it has the mark of one, or says in its first page how the first table
  /// was made, and differs in no more than two bytes, besides the number of its pages.
  private var isOwn: Bool {
    let (place, mark) = Self.applicationID
    return differing(within: 0..<28) + differing(within: 32..<Self.length) <= 2
      && (bytes[place...].starts(with: mark)
        || Data(bytes).range(of: Data(FileContents.declaration.utf8)) != nil)
  }

  /// How many bytes are not those that are constant.
  private func differing(within range: Range<Int>) -> Int {
    zip(bytes[range], restored[range]).count { $0 != $1 }
  }

  /// The same with what is constant.
  private var restored: [UInt8] {
    var restored = bytes
    func set(_ place: Int, _ values: [UInt8]) {
      restored.replaceSubrange(place..<(place + values.count), with: values)
    }
    set(0, Array("SQLite format 3\u{0}".utf8))
    var pageSize = Int64(bytes[16]) << 8 | Int64(bytes[17])
    // What two bytes cannot say is one.
    if pageSize == 1 { pageSize = 65_536 }
    if pageSize < 512 || pageSize.nonzeroBitCount != 1 {
      pageSize = 4_096
      set(16, [0x10, 0])
    }
    // The last page may be cut off.
    if let count = UInt32(exactly: (stamp.size + pageSize - 1) / pageSize) { set(28, Self.bigEndian(count)) }
    // Written with a log, or, as copies are, without.
    if bytes[18] != bytes[19] || !(1...2 ~= bytes[18]) { set(18, [2, 2]) }
    // Reserved bytes of each page, of which some builds of SQLite have 8 or 12; and the payload fractions.
    if ![8, 12].contains(bytes[20]) { set(20, [0]) }
    set(21, [64, 32, 32])
    // The form of the list of tables, and UTF-8.
    set(44, Self.bigEndian(4))
    set(56, Self.bigEndian(1))
    set(Self.applicationID.0, Self.applicationID.1)
    return restored
  }
}
