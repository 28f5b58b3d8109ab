import Foundation
import SQLiteTestSupport

/// A temporary folder that is removed with this value.
final class Folder: Sendable {
  let url: URL

  /// - Parameter inMemory: in memory, if the system has a folder there: for tests that simulate the disk.
  init(inMemory: Bool = false) throws {
    OpenFiles.raiseLimit()
    let memory = URL(fileURLWithPath: "/dev/shm")
    let parent =
      inMemory && FileManager.default.isWritableFile(atPath: memory.path)
      ? memory : FileManager.default.temporaryDirectory
    url = parent.appendingPathComponent("livestore-file-\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// A folder in another, which must be kept.
  init(within folder: Folder, _ name: String) throws {
    url = folder.url.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The place of a file in it.
  var file: URL { url.appendingPathComponent("app.db") }

  /// What is in it, in order.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }
}

/// Says in the lock of a file that what has the name of a repaired file is its repaired one.
func noteRepaired(_ file: URL) throws {
  let number = try FileManager.default.attributesOfItem(atPath: file.path + "-repaired")[.systemFileNumber]
  let identity = (number as? NSNumber)?.uint64Value ?? 0
  try Data("complete\nrepaired \(identity)\n".utf8).write(to: URL(fileURLWithPath: file.path + "-owner"))
}

/// Lets the owner of a file run that was released, so that it gives the file up.
///
/// - Throws: `CancellationError`, as when the time of the test is over.
func waitForOwner() async throws {
  try Task.checkCancellation()
  await Task.yield()
}
