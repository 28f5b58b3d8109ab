import Foundation

/// A temporary folder that is removed with this value.
final class Folder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("livestore-file-\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The place of a file in it.
  var file: URL { url.appendingPathComponent("app.db") }
}
