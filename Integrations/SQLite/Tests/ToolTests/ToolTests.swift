import Crypto
import Foundation
import LiveStore
import LiveStoreSQLite
import TestSupport
import Testing

private struct Post: Entity, Codable {
  let id: UUID
  var title: String
  var likeCount: Int
  var tags: [String] = []
  static let schema = Schema<Post> {
    \.title
    \.likeCount
    \.tags
  }
}

private struct Tag: Entity, Codable {
  let id: Int
  static let schema = Schema<Tag> {}
}

@Suite(.timeLimit(.minutes(5))) struct `livestore-sqlite` {
  private let folder: URL
  private var url: URL { folder.appendingPathComponent("app.db") }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("tool-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func process(_ arguments: [String], key: String?) throws -> (Process, Pipe, Pipe) {
    let paths = CommandLine.arguments.map { URL(fileURLWithPath: $0) } + Bundle.allBundles.map(\.bundleURL)
    let programs = paths.map { $0.deletingLastPathComponent().appendingPathComponent("livestore-sqlite") }
    let (process, output, errors) = (Process(), Pipe(), Pipe())
    let program = programs.first { FileManager.default.isExecutableFile(atPath: $0.path) }
    let executable: URL = try #require(program)
    process.executableURL = executable
    process.arguments = arguments
    (process.standardOutput, process.standardError) = (output, errors)
    if let key { process.environment = ["LIVESTORE_KEY": key] }
    try process.run()
    return (process, output, errors)
  }

  /// Runs the tool to its end.
  private func run(_ arguments: String..., key: String? = nil) throws -> (
    status: Int32, output: String, error: String
  ) {
    let (process, output, errors) = try process(arguments, key: key)
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let error = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (
      process.terminationStatus, String(decoding: text, as: UTF8.self), String(decoding: error, as: UTF8.self)
    )
  }

  private func make(_ posts: [Post], key: SymmetricKey? = nil) async throws -> StoreFile {
    let file = try await StoreFile.open(at: url, Post.self, Tag.self, options: .init(key: key))
    try await file.write { tx in try tx.insert(contentsOf: posts) }
    return file
  }

  private let posts = [
    Post(id: UUID(), title: "Tea", likeCount: 3, tags: ["hot"]),
    Post(id: UUID(), title: "Cake", likeCount: 12),
    Post(id: UUID(), title: "Pie", likeCount: 40),
  ]

  @Test(arguments: [nil, SymmetricKey(size: .bits256)])
  func `a file is inspected, queried and checked while it is open`(key: SymmetricKey?) async throws {
    let file = try await make(posts, key: key)
    let text = key.map {
      $0.withUnsafeBytes { $0.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
    }
    let inspection = try run("inspect", url.path, key: text)
    #expect(inspection.status == 0)
    for part in ["Post: 3 rows", "  likeCount", "Tag: 0 rows", "encrypted  \(key == nil ? "no" : "yes")"] {
      #expect(inspection.output.contains(part))
    }
    let lines = try run(
      "query", url.path, "Post", "--where", "likeCount > 5 AND title != 'Cake'", "--format", "lines",
      key: text)
    #expect(
      lines.output
        == #"{"id":"\#(posts[2].id.uuidString)","title":"Pie","likeCount":40,"tags":[]}"# + "\n")
    let table = try run(
      "query", url.path, "Post", "--sort", "likeCount:desc", "--limit", "2", "--select", "title,likeCount",
      key: text)
    #expect(table.output == "title  likeCount\nPie    40\nCake   12\n")
    let tagged = try run(
      "query", url.path, "Post", "--where", "ANY tags == 'hot'", "--select", "title", key: text)
    #expect(tagged.output == "title\nTea\n")
    let check = try run("check", url.path, key: text)
    #expect(check.status == 0 && check.output == "3 rows, none damaged\n")
    try await file.close()
  }

  @Test func `what cannot be read is an error in a sentence`() async throws {
    try await make(posts, key: SymmetricKey(size: .bits256)).close()
    let wrong = String(repeating: "00", count: 32)
    for (result, part) in [
      (try run("inspect", url.path + "x"), "There is no file"),
      (try run("inspect", url.path), "encrypted"),
      (try run("inspect", url.path, key: wrong), "another key"),
      (try run("inspect", url.path, key: "short"), "LIVESTORE_KEY"),
    ] {
      #expect(result.status != 0 && result.error.contains(part), "\(result)")
    }
    try StoreFile.remove(at: url)
    try await make(posts).close()
    for (result, part) in [
      (try run("query", url.path), "Post, Tag"), (try run("query", url.path, "Pst"), "Post, Tag"),
      (try run("query", url.path, "Post", "--where", "likeCount >"), "column"),
      (try run("query", url.path, "Post", "--sort", "likes"), "likeCount"),
      (try run("query", url.path, "Post", "--limit", "-1"), "--limit"),
    ] {
      #expect(result.status != 0 && result.error.contains(part), "\(result)")
    }
  }

  @Test func `damage is listed, and the status says so`() async throws {
    try await make(posts).close()
    var bytes = try Data(contentsOf: url)
    let place = try #require(bytes.range(of: Data("Cake".utf8)))
    bytes[place.lowerBound] = 0x42
    try bytes.write(to: url)
    let check = try run("check", url.path)
    #expect(check.status == 1 && check.output.contains("Post, row 2"), "\(check)")
  }

  @Test func `watching shows what is there, and each change that is written to the file`() async throws {
    let file = try await make(posts)
    let (process, output, _) = try process(
      ["watch", url.path, "Post", "--where", "likeCount > 5", "--select", "title", "--interval", "0.01"],
      key: nil)
    defer { process.terminate() }
    var text = ""
    /// Reads until there are so many lines; the time limit of the suite ends it.
    func lines(_ count: Int) -> [String] {
      while text.split(separator: "\n").count < count {
        let data = output.fileHandleForReading.availableData
        if data.isEmpty { break }
        text += String(decoding: data, as: UTF8.self)
      }
      return text.split(separator: "\n").map(String.init)
    }
    #expect(lines(2) == [#"+ 0 {"title":"Cake"}"#, #"+ 1 {"title":"Pie"}"#])
    try await file.write { [posts] tx in try tx.update(Post.self, posts[0].id) { $0.likeCount = 6 } }
    #expect(lines(3).last == #"+ 0 {"title":"Tea"}"#)
    try await file.write { [posts] tx in try tx.update(Post.self, posts[1].id) { $0.title = "Scone" } }
    #expect(lines(4).last == #"~ 1 {"title":"Cake"} → {"title":"Scone"}"#)
    try await file.write { [posts] tx in try tx.delete(Post.self, posts[2].id) }
    #expect(lines(5).last == #"- 2 {"title":"Pie"}"#)
    try await file.close()
  }
}
