import Foundation

/// A file that replaces another once it is complete.
///
/// It is written under another name in the same folder. So another process sees the old content or the new, and a
/// failure leaves the old.
enum AtomicFile {
  /// Writes a file.
  ///
  /// - Parameter body: gets a function that appends to the file.
  /// - Throws: an error of Foundation's if the file cannot be written, and what the body throws; then nothing is
  ///   replaced.
  static func write(to url: URL, _ body: ((Data) throws -> Void) throws -> Void) throws {
    guard url.isFileURL else {
      throw CocoaError(.fileWriteUnsupportedScheme, userInfo: [NSURLErrorKey: url])
    }
    let target = url.resolvingSymlinksInPath()
    // Not made from the target's name, which may have the maximum length.
    let name = ".\(UUID()).part"
    let temporary = target.deletingLastPathComponent().appendingPathComponent(name)
    let files = FileManager.default
    // The new file gets the permissions of the old one, before anything is in it.
    let attributes = try? files.attributesOfItem(atPath: target.path)
    // A pipe or a device would be replaced by a file.
    if let type = attributes?[.type] as? FileAttributeType, type != .typeRegular {
      throw CocoaError(
        .fileWriteUnknown,
        userInfo: [
          NSFilePathErrorKey: target.path, NSLocalizedDescriptionKey: "\(target.path) is no regular file.",
        ])
    }
    // No other user can open the new file until it has the permissions of the old one.
    var permissions = (attributes?[.posixPermissions] as? NSNumber).map { mode_t($0.uint16Value) }
    let descriptor = open(
      temporary.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, permissions == nil ? 0o666 : 0o600
    )
    guard descriptor >= 0 else { throw POSIXError.last(temporary.path) }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    defer { try? handle.close() }
    do {
      // The group's permissions are meant for the old file's group, whose members are among the others now.
      if let attributes, let old = permissions, !Self.keepOwners(attributes, descriptor) {
        permissions = old & ~0o077 | old & old >> 3 & 0o007
      }
      if let permissions, fchmod(descriptor, permissions) != 0 { throw POSIXError.last(temporary.path) }
      try body { try handle.write(contentsOf: $0) }
      try handle.synchronize()
      guard rename(temporary.path, target.path) == 0 else { throw POSIXError.last(target.path) }
    } catch {
      try? files.removeItem(at: temporary)
      throw error
    }
  }

  /// Gives a file the owner and group of another, as far as the process may.
  ///
  /// - Returns: whether it has the group.
  private static func keepOwners(_ attributes: [FileAttributeKey: Any], _ descriptor: CInt) -> Bool {
    guard let group = attributes[.groupOwnerAccountID] as? NSNumber else { return false }
    let owner = (attributes[.ownerAccountID] as? NSNumber)?.uint32Value ?? .max  // no change
    return fchown(descriptor, owner, group.uint32Value) == 0
      || fchown(descriptor, .max, group.uint32Value) == 0
  }
}

extension POSIXError {
  /// The error of the last system call that failed.
  static func last(_ path: String? = nil) -> POSIXError {
    let code = POSIXErrorCode(rawValue: errno) ?? .EIO
    return POSIXError(code, userInfo: path.map { [NSFilePathErrorKey: $0] } ?? [:])
  }
}
