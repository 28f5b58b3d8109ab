package import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The files that make up a database, and those of an export, by their names.
package enum FileNames {
  /// What SQLite keeps beside a database, which belongs to that database alone: taken for that of another of the same
  /// name, it would change it.
  static let logs = ["-wal", "-shm", "-journal"]

  /// Removes a database, if there is one, with what SQLite keeps beside it.
  static func removeDatabase(_ url: URL) {
    for suffix in [""] + logs { unlink(url.path + suffix) }
  }

  /// Gives a file another name, so that after a loss of power it is there in all, or another one is that had the name.
  ///
  /// A log that stands beside the name is that of the other file, and would be taken for that of this one: it is removed
  /// before. The caller sees to it that nothing is in it alone.
  /// - Throws: `ioFailed`.
  static func moveDurably(_ path: String, to target: URL) throws(StoreFileError) {
    let folder = target.deletingLastPathComponent().path
    guard sync(path), removeLogs(target.path, folder), rename(path, target.path) == 0, sync(folder) else {
      throw StoreFileError(
        .ioFailed, "The file \(target.path) cannot be written: \(String(cString: strerror(errno))).")
    }
  }

  /// Gives a file another name that no other has.
  ///
  /// - Throws: `ioFailed`, also if a file has the name.
  static func linkDurably(_ path: String, to target: URL) throws(StoreFileError) {
    guard sync(path), DamagedCopy.systemLink(path, target.path) == 0, unlink(path) == 0,
      sync(target.deletingLastPathComponent().path)
    else {
      // Where the file system has no second names, a look before is all there is.
      if [EPERM, ENOTSUP, EOPNOTSUPP].contains(errno), try FileStatus.ofName(target.path) == nil {
        return try moveDurably(path, to: target)
      }
      throw StoreFileError(
        .ioFailed, "The file \(target.path) cannot be made: \(String(cString: strerror(errno))).")
    }
  }

  /// The folder of a path and those around it that are not there, from the innermost to the outermost.
  ///
  /// - Throws: `ioFailed` if that cannot be found out.
  static func missingFolders(_ folder: URL) throws(StoreFileError) -> [String] {
    var missing: [String] = []
    var place = folder.standardizedFileURL
    while try FileStamp.existing(place.path) == nil {
      missing.append(place.path)
      let outer = place.deletingLastPathComponent()
      if outer.path == place.path { break }
      place = outer
    }
    return missing
  }

  private static func removeLogs(_ path: String, _ folder: String) -> Bool {
    var isRemoved = false
    for suffix in logs {
      if unlink(path + suffix) == 0 { isRemoved = true } else if errno != ENOENT { return false }
    }
    return !isRemoved || sync(folder)
  }

  /// Has a file or a folder reach the disk.
  private static func sync(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    #if canImport(Darwin)
      // There, fsync leaves data in the drive's cache. Where the file system has no such call, it is all there is.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
    #endif
    return fsync(descriptor) == 0
  }
}

extension FileNames {
  /// Where an export writes the objects of an entity: `Post.ndjson`.
  ///
  /// The name is data, also that of a file which others have written. What would lead to another folder, hide the file or
  /// steer a terminal that lists it is written as in a URL: `../x` is `%2E.%2Fx.ndjson`. No two names give the same.
  package static func lines(of entity: String, in folder: URL) -> URL {
    var name = ""
    for (index, scalar) in entity.unicodeScalars.enumerated() {
      if index == 0 && scalar == "." || isEscaped(scalar) {
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
          name += (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }
      } else {
        name.unicodeScalars.append(scalar)
      }
    }
    return folder.appendingPathComponent("\(name).ndjson")
  }

  private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "/", "%": return true
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return false
    }
  }
}

extension URL {
  /// Checks that it names a file of this machine.
  ///
  /// - Throws: `notAStoreFile`.
  func requireFile() throws(StoreFileError) {
    if isFileURL, !path.isEmpty, !path.utf8.contains(0) { return }
    throw StoreFileError(
      .notAStoreFile, "\(absoluteString) is no file of this machine. Make the URL with URL(fileURLWithPath:)."
    )
  }

  /// The file itself, where the last part of the path or others are symbolic links: SQLite names what it keeps beside a
  /// file by it, and a lock must be the same for all of its names. There need not be such a file.
  var withoutLinks: URL {
    var path = path
    // As many links as systems follow.
    for _ in 0..<40 {
      let (folder, name) = Self.parts(of: path)
      if let resolved = realpath(folder, nil) {
        defer { free(resolved) }
        path = Self.path(to: name, in: String(cString: resolved))
      }
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
      let isWhole = target.utf8.first == UInt8(ascii: "/")
      path = isWhole ? target : Self.path(to: target, in: Self.parts(of: path).folder)
    }
    return URL(fileURLWithPath: path)
  }

  /// The folder of a path and the name in it, cut where the system cuts it: a name may begin with a combining mark, which
  /// makes the slash before it another character.
  private static func parts(of path: String) -> (folder: String, name: String) {
    var scalars = path.unicodeScalars[...]
    while scalars.count > 1, scalars.last == "/" { scalars.removeLast() }
    guard let slash = scalars.lastIndex(of: "/") else { return (".", String(scalars)) }
    let folder = slash == scalars.startIndex ? "/" : String(scalars[..<slash])
    return (folder, String(scalars[scalars.index(after: slash)...]))
  }

  private static func path(to name: String, in folder: String) -> String {
    folder.utf8.last == UInt8(ascii: "/") ? folder + name : "\(folder)/\(name)"
  }
}
