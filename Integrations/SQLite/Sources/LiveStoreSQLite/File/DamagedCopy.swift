package import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What is kept of a damaged file when a repaired one takes its name: the file, with its log beside it, under a name that
/// no other has.
///
/// There are nine names at the most. When all are taken, the last is given to the newest: the copies before it are of
/// earlier repairs, which had more.
package struct DamagedCopy {
  private let url: URL
  private let link: (String, String) -> Int32
  private let files = FileManager.default

  /// - Parameter link: gives a file a second name, as `link(2)` does; some file systems cannot.
  package init(_ url: URL, link: @escaping (String, String) -> Int32 = Self.systemLink) {
    (self.url, self.link) = (url, link)
  }

  package static func systemLink(_ path: String, _ other: String) -> Int32 {
    #if canImport(Glibc)
      Glibc.link(path, other)
    #else
      Darwin.link(path, other)
    #endif
  }

  /// What follows the file's name in those of its copies.
  static let suffixes = ["-damaged"] + (2...9).map { "-damaged-\($0)" }

  /// Keeps the file and its log, whose name is free afterwards.
  ///
  /// The file keeps its name, too, so that there always is one. If the process ends within this, it is done again, and
  /// what was kept before counts.
  /// - Throws: `ioFailed`.
  package func keep() throws(StoreFileError) {
    try FileFailure.accessing(url) {
      let log = url.path + "-wal"
      let isThere = { (path: String) in try FileStatus.of(path) != nil }
      let hasLog = try isThere(log)
      let paths = Self.suffixes.map { url.path + $0 }
      let last = try paths.last(where: isThere)
      let copy: String
      if let last, files.contentsEqual(atPath: last, andPath: url.path),
        try !hasLog || !isThere(last + "-wal")
      {
        copy = last
      } else {
        copy = try paths.first { try !isThere($0) } ?? paths[paths.count - 1]
        for path in [copy, copy + "-wal", copy + "-shm", copy + "-part"] where try isThere(path) {
          // Not a folder of that name, with all that is in it.
          guard unlink(path) == 0 else {
            throw StoreFileError(
              .ioFailed, "The file \(path) cannot be removed: \(String(cString: strerror(errno))).")
          }
        }
        if link(url.path, copy) != 0 {
          try RegularFile.copy(url.path, to: copy + "-part")
          try FileNames.moveDurably(copy + "-part", to: URL(fileURLWithPath: copy))
        }
      }
      // It must not be taken for the log of the new file.
      if hasLog { try FileNames.moveDurably(log, to: URL(fileURLWithPath: copy + "-wal")) }
    }
  }
}
