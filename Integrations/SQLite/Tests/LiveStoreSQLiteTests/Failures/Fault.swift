import FailingCalls
import Foundation

/// How calls to the file system fail.
enum Fault: String, CaseIterable, Sendable {
  /// It cannot be found out whether there is a file, nor what it is.
  case status
  /// There is no room to map shared memory.
  case map
  /// What is there cannot be read now, as on a server that is away.
  case read
  /// The device cannot read.
  case badSector
  /// Half of the bytes come.
  case shortRead
  /// The device cannot write.
  case write
  /// Half of the bytes are written.
  case shortWrite
  /// The disk is full: nothing is written, and no file is made.
  case full
  /// What was written does not reach the disk.
  case sync
  /// The process has too many files open.
  case open
  /// No file can be made in the folder.
  case make
  case truncate
  case lock
  case remove
  /// Nor can a file get a second name.
  case rename

  /// The calls that fail.
  var kinds: FailingCalls.Kinds {
    switch self {
    case .read, .badSector, .shortRead: .read
    case .write, .shortWrite: .write
    case .full: [.write, .make]
    case .sync: .sync
    case .open: .open
    case .make: .make
    case .truncate: .truncate
    case .lock: .lock
    case .remove: .remove
    case .rename: .rename
    case .map: .map
    case .status: .status
    }
  }

  var failure: FailingCalls.Failure {
    switch self {
    case .shortRead, .shortWrite: .short
    case .full: .error(ENOSPC)
    case .open: .error(EMFILE)
    case .read: .error(ESTALE)
    case .make: .error(EACCES)
    case .map: .error(ENOMEM)
    case .badSector, .write, .sync, .truncate, .lock, .remove, .rename, .status: .error(EIO)
    }
  }

  /// Whether it is tried that a failure stays until an error is reported.
  var canStay: Bool {
    switch self {
    // A caller that asks for the rest gets half of it each time; a lock is waited for.
    case .shortRead, .shortWrite, .lock: false
    default: true
    }
  }
}
