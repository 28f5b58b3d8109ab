// The codes as members of the error, and as patterns, as those of `StoreError`.

extension StoreFileError {
  /// Another process, or another `StoreFile` of this one, has the file open.
  public static let inUse = Code.inUse
  /// There is no file, and it was to be read only.
  public static let notFound = Code.notFound
  /// The file is no file of a store.
  public static let notAStoreFile = Code.notAStoreFile
  /// The file was written by a newer version of this library.
  public static let newerFormat = Code.newerFormat
  /// The file was written with a newer version of the schema, or has passed a renaming that this program's list of
  /// migrations lacks.
  public static let newerSchema = Code.newerSchema
  /// No migrations lead from the file's version of the schema to the newest, or they may not be run.
  public static let migrationNeeded = Code.migrationNeeded
  /// Migrations contradict each other or the file.
  public static let invalidMigration = Code.invalidMigration
  /// The file was encrypted with another key, or needs one, or none.
  public static let wrongKey = Code.wrongKey
  /// What is in the file was not written by this library, or not all of it is there.
  public static let damaged = Code.damaged
  /// An object cannot be read as its type now is, or cannot be written.
  public static let mismatch = Code.mismatch
  /// Reading or writing failed: the disk is full, the file cannot be accessed.
  public static let ioFailed = Code.ioFailed
  /// The file, its log or its lock was removed, renamed or replaced while it was open.
  public static let moved = Code.moved
  /// The file is open for reading only.
  public static let readOnly = Code.readOnly
  /// The file was closed.
  public static let closed = Code.closed
}

/// Makes codes usable as patterns: `catch StoreFileError.damaged`.
public func ~= (code: StoreFileError.Code, error: any Error) -> Bool {
  (error as? StoreFileError)?.code == code
}
