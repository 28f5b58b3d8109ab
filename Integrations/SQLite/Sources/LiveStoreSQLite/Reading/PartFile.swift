package import Foundation

/// A file that is written under a name of its own, and gets the name it is made for when it is complete.
package struct PartFile: Sendable {
  package let target: URL
  /// Where it is until then, beside the target. No other file has the name.
  package let url: URL

  package init(of target: URL) {
    self.target = target
    url = URL(fileURLWithPath: "\(target.path)-part-\(UUID().uuidString.prefix(8))")
  }

  /// Makes it, empty, which others may read no more than another file, and than a target that it replaces.
  ///
  /// - Throws: `ioFailed`.
  /// - Returns: the file, open for writing: another may have its name by the time it is opened again.
  package func open(like other: URL) throws(StoreFileError) -> CInt {
    let isNew = try FileStatus.of(target.path) == nil
    return try RegularFile.make(url.path, like: [other.path, target.path], isNew: isNew)
  }

  /// The same, and closes it.
  package func make(like other: URL) throws(StoreFileError) { close(try open(like: other)) }

  /// Gives the file its name, so that after a loss of power it is there in all, or what had the name before is.
  ///
  /// - Parameter replacing: whether a file that has the name is replaced.
  /// - Throws: `ioFailed`.
  package func complete(replacing: Bool = true) throws {
    if replacing {
      // A pipe or a device would be replaced, too.
      if let stamp = try FileStamp.existing(target.path), !stamp.isRegular {
        throw StoreFileError(.ioFailed, "\(target.path) is no regular file, and is not replaced.")
      }
      try FileNames.moveDurably(url.path, to: target)
    } else {
      try FileNames.linkDurably(url.path, to: target)
    }
  }

  /// Removes what was written, with the journal that SQLite has while it writes a copy.
  package func remove() {
    for suffix in ["", "-journal"] { unlink(url.path + suffix) }
  }
}
