import CSQLite

/// A file of the default VFS, used without a database.
final class RawFile {
  /// An error code of SQLite.
  struct Failure: Error, Equatable {
    var code: Int32
  }

  enum Kind {
    case database
    case journal
  }

  private let memory: UnsafeMutableRawPointer
  private let file: UnsafeMutablePointer<sqlite3_file>
  private let name: sqlite3_filename

  init(_ path: String, _ kind: Kind = .database) throws(Failure) {
    let vfs = sqlite3_vfs_find(nil)
    let size = Int(vfs?.pointee.szOsFile ?? 0)
    memory = .allocate(byteCount: size, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    file = memory.assumingMemoryBound(to: sqlite3_file.self)
    name = sqlite3_create_filename(path, "\(path)-journal", "\(path)-wal", 0, nil)
    let type = kind == .database ? SQLITE_OPEN_MAIN_DB : SQLITE_OPEN_MAIN_JOURNAL
    var flags: Int32 = 0
    try Self.check(
      vfs?.pointee.xOpen(vfs, name, file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | type, &flags))
  }

  deinit {
    if file.pointee.pMethods != nil { _ = file.pointee.pMethods.pointee.xClose(file) }
    sqlite3_free_filename(name)
    memory.deallocate()
  }

  func write(_ bytes: [UInt8], at offset: Int = 0) throws(Failure) {
    try Self.check(file.pointee.pMethods.pointee.xWrite(file, bytes, Int32(bytes.count), Int64(offset)))
  }

  func read(_ count: Int) throws(Failure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    try Self.check(file.pointee.pMethods.pointee.xRead(file, &bytes, Int32(count), 0))
    return bytes
  }

  func truncate(to length: Int) throws(Failure) {
    try Self.check(file.pointee.pMethods.pointee.xTruncate(file, Int64(length)))
  }

  func sync() throws(Failure) {
    try Self.check(file.pointee.pMethods.pointee.xSync(file, SQLITE_SYNC_NORMAL))
  }

  static func delete(_ path: String, syncingFolder: Bool) throws(Failure) {
    let vfs = sqlite3_vfs_find(nil)
    try check(vfs?.pointee.xDelete(vfs, path, syncingFolder ? 1 : 0))
  }

  private static func check(_ code: Int32?) throws(Failure) {
    if code != SQLITE_OK { throw Failure(code: code ?? SQLITE_MISUSE) }
  }
}
