import CSQLite

/// Extended error codes, whose macros Swift does not see.
enum ExtendedCode {
  static let write = SQLITE_IOERR | 3 << 8
  static let sync = SQLITE_IOERR | 4 << 8
  static let truncation = SQLITE_IOERR | 6 << 8
  static let deletion = SQLITE_IOERR | 10 << 8
  static let nothingToDelete = SQLITE_IOERR | 23 << 8
}
