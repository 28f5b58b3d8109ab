import Foundation
import GRDB

/// SQLite's errors in sentences.
enum FileFailure {
  /// Runs what reads a file.
  static func translating<Result>(_ url: URL, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as DatabaseError {
      // What the library asks for is there in each whole file.
      if error.resultCode == .SQLITE_ERROR { throw damaged(url, reason(error)) }
      throw writing(error, url)
    } catch let error as RowDecodingError {
      throw damaged(url, "\(error)")
    }
  }

  /// Runs what reads and writes files by Foundation.
  static func accessing<Result>(_ url: URL, _ body: () throws -> Result) throws(StoreFileError) -> Result {
    do {
      return try body()
    } catch let error as StoreFileError {
      throw error
    } catch {
      throw StoreFileError(
        .ioFailed, "The file \(url.path) cannot be read or written: \(error.localizedDescription)")
    }
  }

  /// An error at writing.
  static func writing(_ error: DatabaseError, _ url: URL) -> StoreFileError {
    let reason = reason(error)
    if error.extendedResultCode == .SQLITE_IOERR_SHORT_READ {
      return StoreFileError(.damaged, "The file \(url.path) is cut off: \(reason).")
    }
    switch error.resultCode {
    case .SQLITE_NOTADB:
      return StoreFileError(.notAStoreFile, "The file \(url.path) is no database: \(reason).")
    case .SQLITE_CORRUPT: return damaged(url, reason)
    case .SQLITE_FULL:
      return StoreFileError(.ioFailed, "There is no room for the file \(url.path): \(reason).")
    default:
      return StoreFileError(.ioFailed, "The file \(url.path) cannot be read or written: \(reason).")
    }
  }

  private static func reason(_ error: DatabaseError) -> String { error.message ?? "\(error.resultCode)" }

  private static func damaged(_ url: URL, _ reason: String) -> StoreFileError {
    StoreFileError(.damaged, "The file \(url.path) is damaged: \(reason).")
  }
}
