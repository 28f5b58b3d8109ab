import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Which file a path leads to, so that another under its name is told from it.
struct FilePlace: Equatable, Sendable {
  private let device: UInt64
  private let number: UInt64

  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// That of an open file.
  init?(of descriptor: CInt) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    (device, number) = (UInt64(bitPattern: Int64(status.st_dev)), UInt64(status.st_ino))
  }

  /// Whether it is still what a path leads to; nil if that cannot be found out now.
  func isAt(_ path: String) -> Bool? {
    if let other = FilePlace(path) { return other == self }
    return FileStatus.isMissing() ? false : nil
  }

  /// Whether there is a file; nil if that cannot be found out now.
  static func isThere(_ path: String) -> Bool? {
    if FilePlace(path) != nil { return true }
    return FileStatus.isMissing() ? false : nil
  }

  /// The number of the regular file of a name, which is no link; nil if there is none.
  ///
  /// - Throws: `ioFailed` if that cannot be found out now.
  static func number(_ path: String) throws(StoreFileError) -> UInt64? {
    guard let status = try FileStatus.ofName(path), status.st_mode & S_IFMT == S_IFREG else { return nil }
    return UInt64(status.st_ino)
  }
}
