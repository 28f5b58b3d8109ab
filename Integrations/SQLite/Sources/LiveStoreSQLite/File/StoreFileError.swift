public import Foundation

/// What went wrong with a file, where, and what to do.
///
/// ```swift
/// do {
///   file = try await StoreFile.open(at: url, Post.self)
/// } catch let error as StoreFileError where error.code == .damaged {
///   file = try await StoreFile.open(at: url, Post.self, options: .init(repair: .skipDamagedRows))
/// }
/// ```
public struct StoreFileError: LocalizedError, Sendable, Equatable, CustomStringConvertible {
  /// The kind of an error. New kinds may be added; compare with those that you handle.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The code's name.
    public let description: String

    /// Another process, or another `StoreFile` of this one, has the file open.
    public static let inUse = Code(description: "inUse")
    /// There is no file, and it was to be read only.
    public static let notFound = Code(description: "notFound")
    /// The file is no file of a store.
    public static let notAStoreFile = Code(description: "notAStoreFile")
    /// The file was written by a newer version of this library.
    public static let newerFormat = Code(description: "newerFormat")
    /// The file was written with a newer version of the schema, or has passed a renaming that this program's list of
    /// migrations lacks.
    public static let newerSchema = Code(description: "newerSchema")
    /// No migrations lead from the file's version of the schema to the newest, or they may not be run.
    public static let migrationNeeded = Code(description: "migrationNeeded")
    /// Migrations contradict each other or the file.
    public static let invalidMigration = Code(description: "invalidMigration")
    /// The file was encrypted with another key, or needs one, or none.
    public static let wrongKey = Code(description: "wrongKey")
    /// What is in the file was not written by this library, or not all of it is there.
    public static let damaged = Code(description: "damaged")
    /// An object cannot be read as its type now is, or cannot be written.
    public static let mismatch = Code(description: "mismatch")
    /// Reading or writing failed: the disk is full, the file cannot be accessed.
    public static let ioFailed = Code(description: "ioFailed")
    /// The file, its log or its lock was removed, renamed or replaced while it was open.
    public static let moved = Code(description: "moved")
    /// The file is open for reading only.
    public static let readOnly = Code(description: "readOnly")
    /// The file was closed.
    public static let closed = Code(description: "closed")
  }

  /// The kind of error.
  public let code: Code
  /// A sentence that says what, where and what to do, in one line: it may be written to a log or a terminal as it is.
  public let message: String
  /// The table, which has the name of the entity, if the error concerns one.
  public var table: String?
  /// The number of the row in its table, if the error concerns one.
  public var row: Int64?

  init(_ code: Code, _ message: String, table: String? = nil, row: Int64? = nil) {
    (self.code, self.message, self.table, self.row) = (code, message.asMessage, table, row)
  }

  /// The message: for logs, and for alerts without a better text.
  public var errorDescription: String? { message }
  /// The code and the message.
  public var description: String { "\(code): \(message)" }
}
