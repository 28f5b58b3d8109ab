import Foundation

/// Files that live as long as the suite that holds this.
final class TemporaryFiles {
  private let directory = NSTemporaryDirectory() + "/livestore-watch-\(UUID())"
  private var count = 0

  /// Writes a file and gives its path.
  func file(_ text: String) throws -> String {
    try file(bytes: Array(text.utf8))
  }

  /// Writes a file and gives its path.
  func file(bytes: [UInt8]) throws -> String {
    count += 1
    let path = "\(directory)/\(count).ndjson"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  deinit {
    try? FileManager.default.removeItem(atPath: directory)
  }
}
