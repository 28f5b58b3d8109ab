import Crypto
import Foundation
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport

struct Post: Entity, Codable {
  let id: UUID
  var title: String
  var likeCount: Int
  var rating: Double?
  var tags: [String] = []
  static let schema = Schema<Post> {
    \.title
    \.likeCount
    \.rating
    \.tags
  }
}

struct Tag: Entity, Codable {
  let id: Int
  static let schema = Schema<Tag> {}
}

/// A folder for one test, with the file of a store in it.
final class TemporaryFile {
  let folder: URL
  var url: URL { folder.appendingPathComponent("app.db") }

  init() throws {
    OpenFiles.raiseLimit()
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("tool-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The names of what is in the folder.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
  }

  func open(_ posts: [Post] = [], key: SymmetricKey? = nil) async throws -> StoreFile {
    let file = try await StoreFile.open(at: url, Post.self, Tag.self, options: .init(key: key))
    if !posts.isEmpty { try await file.write { tx in try tx.insert(contentsOf: posts) } }
    return file
  }

  /// Makes the file, and closes it.
  func make(_ posts: [Post], key: SymmetricKey? = nil) async throws {
    try await open(posts, key: key).close()
  }
}

let posts = [
  Post(id: UUID(), title: "Tea", likeCount: 3, tags: ["hot"]),
  Post(id: UUID(), title: "Cake, sweet", likeCount: 12, rating: 4.5),
  Post(id: UUID(), title: "Pie", likeCount: 40),
]

extension SymmetricKey {
  var hexadecimal: String {
    withUnsafeBytes { $0.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
  }
}
