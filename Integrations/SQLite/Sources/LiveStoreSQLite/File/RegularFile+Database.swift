import Foundation

extension RegularFile {
  /// Copies a database that no connection writes to, with its log, as a phase.
  ///
  /// - Parameter isNew: as for ``make(_:like:isNew:)``.
  /// - Throws: `ioFailed`; `CancellationError`. Then there may be a part of the copy.
  static func copyDatabase(
    _ source: URL, to target: URL, isNew: Bool = false, _ progress: ProgressReporter
  ) throws {
    var sizes: [(suffix: String, size: Int64)] = []
    for suffix in ["", "-wal"] {
      if let stamp = try FileStamp.existing(source.path + suffix) { sizes.append((suffix, stamp.size)) }
    }
    progress.begin(.copying, .bytes, of: sizes.reduce(0) { $0 + Int($1.size) })
    for (suffix, _) in sizes {
      let before = progress.done
      try copy(source.path + suffix, to: target.path + suffix, isNew: isNew) { bytes in
        try? progress.advance(to: before + bytes)
        progress.reach(before + bytes)
        return !Task.isCancelled
      }
      try Task.checkCancellation()
    }
    progress.end()
    try Task.checkCancellation()
  }
}
