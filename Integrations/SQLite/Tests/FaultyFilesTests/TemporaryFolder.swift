import Foundation

/// A folder that goes away with the last reference to it.
final class TemporaryFolder {
  let path: String

  init() throws {
    // In memory if the system has such a folder: the tests make thousands of files and need no disk.
    let inMemory = "/dev/shm"
    let parent =
      FileManager.default.isWritableFile(atPath: inMemory)
      ? URL(filePath: inMemory) : FileManager.default.temporaryDirectory
    let url = parent.appending(path: "faulty-files-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path(percentEncoded: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  func makeFolder(_ name: String) throws -> String {
    try FileManager.default.createDirectory(atPath: file(name), withIntermediateDirectories: true)
    return file(name)
  }

  /// What is in a file; nil if there is none.
  func bytes(of name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: file(name)).map { Array($0) }
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(filePath: file(name)))
  }

  func removeAll() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      try FileManager.default.removeItem(atPath: file(name))
    }
  }
}
