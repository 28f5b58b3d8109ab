import Crypto
import Foundation
import LiveStore
import LiveStoreSQLite
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Commands of livestore-sqlite` {
  private let file: TemporaryFile
  private var path: String { file.url.path }

  init() throws { file = try TemporaryFile() }

  @Test(arguments: [nil, SymmetricKey(size: .bits256)])
  func `a file is inspected, queried, exported, checked and copied while it is open`(key: SymmetricKey?)
    async throws
  {
    let store = try await file.open(posts, key: key)
    let text = key?.hexadecimal
    let before = try file.names
    let inspection = try await ToolProcess.run("inspect", path, key: text)
    #expect(inspection.status == 0)
    for part in [
      "version    1", "encrypted  \(key == nil ? "no" : "yes")", "Post: 3 rows, ", "  id         UUID",
      "  rating     real, none in 2", "  tags       array", "Tag: 0 rows",
    ] {
      #expect(inspection.output.contains(part), "\(inspection)")
    }
    let lines = try await ToolProcess.run(
      "query", path, "Post", "--where", "likeCount > 5 AND title != 'Cake'", "--limit", "1", "--format",
      "lines",
      key: text)
    #expect(
      lines.output
        == #"{"id":"\#(posts[1].id.uuidString)","title":"Cake, sweet","likeCount":12,"tags":[],"rating":4.5}"#
        + "\n")
    #expect(try await ToolProcess.run("check", path, key: text).output == "3 rows, none damaged\n")
    let copy = file.folder.appendingPathComponent("copy.db")
    #expect(try await ToolProcess.run("backup", path, copy.path).status == 0)
    #expect(try file.names == (before + ["copy.db"]).sorted())
    let opened = try await StoreFile.open(at: copy, Post.self, Tag.self, options: .init(key: key))
    #expect(opened.store.fetch(Post.all).map(\.title) == posts.map(\.title))
    try await opened.close()
    try await store.close()
  }

  /// Bug: a copy had the identity of the store, so that versions of clients named a state of each.
  @Test(arguments: [nil, SymmetricKey(size: .bits256)])
  func `a backup is another store than that of its file, and than each other backup`(key: SymmetricKey?)
    async throws
  {
    let owner = try await file.open(posts, key: key)
    var identities = [owner.store.identity]
    let version = owner.store.version
    let copies = ["first.db", "second.db", "third.db"].map { file.folder.appendingPathComponent($0) }
    // The last is a copy of a copy.
    for (source, copy) in zip([path, path, copies[0].path], copies) {
      let backup = try await ToolProcess.run("backup", source, copy.path)
      #expect(backup.status == 0, "\(backup)")
    }
    try await owner.close()
    for copy in copies {
      let options = StoreFile.Options(key: key, isReadOnly: true)
      let reader = try await StoreFile.open(at: copy, Post.self, Tag.self, options: options)
      for _ in 1...2 {
        let opened = try await StoreFile.open(at: copy, Post.self, Tag.self, options: .init(key: key))
        #expect(opened.store.identity == reader.store.identity && opened.store.version == version)
        #expect(opened.store.fetch(Post.all).map(\.title) == posts.map(\.title))
        try await opened.close()
      }
      identities.append(reader.store.identity)
    }
    #expect(Set(identities).count == 4)
    let again = try await file.open(key: key)
    #expect(again.store.identity == identities[0] && again.store.version == version)
    try await again.close()
  }

  /// Bug: the log was looked for beside the link, while SQLite looks beside the file: what was in the log was not there.
  @Test(arguments: [true, false])
  func `a file is read with its log by way of a link`(isOpen: Bool) async throws {
    let store = try await file.open(posts)
    let folder = file.folder.appendingPathComponent("links")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let (first, second) = (folder.appendingPathComponent("first"), folder.appendingPathComponent("second"))
    try FileManager.default.createSymbolicLink(atPath: first.path, withDestinationPath: "../app.db")
    try FileManager.default.createSymbolicLink(atPath: second.path, withDestinationPath: "first")
    if !isOpen { try await store.close() }
    let inspection = try await ToolProcess.run("inspect", second.path)
    #expect(
      inspection.output.contains("version    1\n") && inspection.output.contains("Post: 3 rows"),
      "\(inspection)")
    #expect(inspection.output.contains("log        empty") != isOpen)
    #expect(try await ToolProcess.run("query", second.path, "Post", "--format", "lines").lines.count == 3)
    let copy = file.folder.appendingPathComponent("copy.db")
    #expect(try await ToolProcess.run("backup", second.path, copy.path).status == 0)
    #expect(try await ToolProcess.run("check", copy.path).output == "3 rows, none damaged\n")
    if isOpen { try await store.close() }
  }

  @Test func `a query filters, sorts, limits and selects, in each format`() async throws {
    try await file.make(posts)
    let table = try await ToolProcess.run(
      "query", path, "Post", "--sort", "likeCount:desc", "--limit", "2", "--select", "title,likeCount")
    #expect(table.output == "title        likeCount\nPie                 40\nCake, sweet         12\n")
    let csv = try await ToolProcess.run(
      "query", path, "Post", "--sort", "rating,title:desc", "--select", "title,rating", "--format", "csv")
    #expect(csv.output == "title,rating\nTea,\nPie,\n\"Cake, sweet\",4.5\n")
    let json = try await ToolProcess.run("query", path, "Post", "--select", "title", "--format", "json")
    #expect(json.output == "[{\"title\":\"Tea\"}\n,{\"title\":\"Cake, sweet\"}\n,{\"title\":\"Pie\"}\n]\n")
    let none = try await ToolProcess.run("query", path, "Tag", "--format", "json")
    #expect(none.output == "[]\n")
    let any = try await ToolProcess.run(
      "query", path, "Post", "--where", "ANY tags == 'hot'", "--select", "title")
    #expect(any.output == "title\nTea\n")
    let id = try await ToolProcess.run(
      "query", path, "Post", "--where", "id == '\(posts[2].id.uuidString)'", "--select", "title")
    #expect(id.output == "title\nPie\n")
  }

  @Test func `a query over many batches gives what one store gives`() async throws {
    let many = (0..<10_000).map { Post(id: UUID(), title: "\($0)", likeCount: $0 * 7_919 % 100) }
    try await file.make(many)
    let store = try Store(Post.self)
    try await store.write { tx in try tx.insert(contentsOf: many) }
    let sorted = Post.where { $0.likeCount >= 50 }.sorted(by: \.likeCount, .descending)
    for limit in [0, 3, 5_000] {
      let found = try await ToolProcess.run(
        "query", path, "Post", "--where", "likeCount >= 50", "--sort", "likeCount:desc", "--limit",
        "\(limit)",
        "--select", "title", "--format", "csv")
      #expect(found.lines.dropFirst().map(\.self) == store.fetch(sorted.limit(limit)).map(\.title))
    }
    let filtered = try await ToolProcess.run(
      "query", path, "Post", "--where", "likeCount < 50", "--limit", "4500", "--select", "title", "--format",
      "csv")
    #expect(
      filtered.lines.dropFirst().map(\.self)
        == store.fetch(Post.where { $0.likeCount < 50 }.limit(4_500)).map(\.title))
    let all = try await ToolProcess.run(
      "query", path, "Post", "--sort", "likeCount", "--select", "title", "--format", "csv")
    #expect(all.lines.dropFirst().map(\.self) == store.fetch(Post.all.sorted(by: \.likeCount)).map(\.title))
  }

  @Test(arguments: [nil, SymmetricKey(size: .bits256)])
  func `a check lists the row that is damaged, and its status is 1`(key: SymmetricKey?) async throws {
    try await file.make(posts, key: key)
    var bytes = try Data(contentsOf: file.url)
    if key == nil {
      let place = try #require(bytes.range(of: Data("Cake".utf8)))
      bytes[place.lowerBound] = 0x42
    } else {
      // The rows are at the end of the page of their table: the last byte of a page is one of the first row's seal.
      let page = try #require((1...bytes.count / 4_096).last { bytes[$0 * 4_096 - 1] != 0 })
      bytes[page * 4_096 - 1] ^= 1
    }
    try bytes.write(to: file.url)
    let check = try await ToolProcess.run("check", path, key: key?.hexadecimal)
    #expect(check.status == 1, "\(check)")
    if key == nil {
      #expect(
        check.output
          == "Post, row 2: its values are not those that were written\n2 rows whole; 1 problem listed above\n"
      )
    }
    let inspection = try await ToolProcess.run("inspect", path, key: key?.hexadecimal)
    if key == nil { #expect(inspection.output.contains("damaged; see livestore-sqlite check")) }
  }

  @Test func `a closed file is read without making anything beside it, also where nothing can be written`()
    async throws
  {
    try await file.make(posts)
    try? FileManager.default.removeItem(atPath: path + "-owner")
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
    try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: file.folder.path)
    defer { try? files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.folder.path) }
    for command in ["inspect", "check"] { #expect(try await ToolProcess.run(command, path).status == 0) }
    #expect(try await ToolProcess.run("query", path, "Post", "--where", "likeCount > 3").lines.count == 3)
    #expect(try file.names == ["app.db"])
  }

  @Test func `the help of each command stands alone and has an example`() async throws {
    for command in ["inspect", "query", "watch", "export", "check", "backup"] {
      let help = try await ToolProcess.run(command, "--help")
      #expect(
        help.status == 0 && help.output.contains("Example: livestore-sqlite \(command) posts.db"), "\(help)")
      let longest = help.lines.map(\.count).max() ?? 0
      #expect(longest <= 80, "\(command): \(longest)")
    }
  }
}
