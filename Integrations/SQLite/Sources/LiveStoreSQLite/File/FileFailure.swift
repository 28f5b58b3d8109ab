import Foundation
import GRDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// SQLite's errors in sentences.
enum FileFailure {
  /// Runs what reads a file.
  static func translating<Result>(_ url: URL, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      throw reading(error, url)
    }
  }

  /// Runs what reads a file.
  static func translating<Result>(_ url: URL, _ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch {
      throw reading(error, url)
    }
  }

  private static func reading(_ error: any Error, _ url: URL) -> any Error {
    switch error {
    // What the library asks for is there in each whole file.
    case let error as DatabaseError where error.resultCode == .SQLITE_ERROR: damaged(url, reason(error))
    case let error as DatabaseError: writing(error, url)
    case let error as RowDecodingError: damaged(url, "\(error)")
    default: error
    }
  }

  /// Runs what reads a part of a file that may be damaged; nil if it is.
  ///
  /// - Throws: the error of a file that cannot be read now, after which the part may be there.
  static func unlessDamaged<Result>(_ body: () throws -> Result) throws -> Result? {
    do {
      return try body()
    } catch let error as DatabaseError where !error.mayBeDamage {
      throw error
    } catch {
      return nil
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
  static func writing(_ error: DatabaseError, _ url: URL) -> any Error {
    let reason = reason(error)
    // A task that is cancelled interrupts its statement.
    if error.isInterruptionError { return CancellationError() }
    if error.extendedResultCode == .SQLITE_IOERR_SHORT_READ {
      return StoreFileError(.damaged, "The file \(url.path) is cut off: \(reason).")
    }
    if [.SQLITE_IOERR, .SQLITE_CANTOPEN].contains(error.resultCode), isDiskFull(url) {
      return StoreFileError(.ioFailed, "There is no room for the file \(url.path): \(reason).")
    }
    switch error.resultCode {
    case .SQLITE_NOTADB:
      return StoreFileError(.notAStoreFile, "The file \(url.path) is no database: \(reason).")
    case .SQLITE_CORRUPT: return damaged(url, reason)
    case .SQLITE_FULL:
      return StoreFileError(.ioFailed, "There is no room for the file \(url.path): \(reason).")
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      return StoreFileError(
        .ioFailed,
        "The file \(url.path) is locked by another program, which must not write to it. Close that program, or end its transaction, and try again."
      )
    default:
      return StoreFileError(.ioFailed, "The file \(url.path) cannot be read or written: \(reason).")
    }
  }

  /// Whether the disk of a file is full. SQLite says so where it writes to the file, but not where its log, or the memory that
  /// processes share, finds no room; and by then the system's error number is that of a later call.
  private static func isDiskFull(_ url: URL) -> Bool {
    var status = statvfs()
    guard statvfs(url.deletingLastPathComponent().path, &status) == 0, status.f_blocks > 0 else {
      return false
    }
    // Less than a beginning of the shared memory, and of a log.
    return UInt64(status.f_bavail) * UInt64(status.f_frsize) < 1 << 16
  }

  private static func reason(_ error: DatabaseError) -> String { error.message ?? "\(error.resultCode)" }

  private static func damaged(_ url: URL, _ reason: String) -> StoreFileError {
    StoreFileError(.damaged, "The file \(url.path) is damaged: \(reason).")
  }
}

extension DatabaseError {
  /// Whether it may say that the file is damaged, and not that it cannot be read now.
  var mayBeDamage: Bool {
    switch resultCode {
    case .SQLITE_INTERRUPT, .SQLITE_NOMEM, .SQLITE_CANTOPEN, .SQLITE_BUSY, .SQLITE_LOCKED: false
    case .SQLITE_IOERR: [.SQLITE_IOERR_CORRUPTFS, .SQLITE_IOERR_SHORT_READ].contains(extendedResultCode)
    default: true
    }
  }
}
