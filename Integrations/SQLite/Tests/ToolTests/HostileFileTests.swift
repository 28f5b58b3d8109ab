import Foundation
import LiveStore
import LiveStoreSQLite
import Programs
import Testing
import livestore_sqlite

/// A file that others have written, with names that are paths or steer a terminal.
@Suite(.timeLimit(.minutes(10))) struct `Files with hostile names` {
  private let file: TemporaryFile
  private var path: String { file.url.path }
  /// Sets the title of a terminal, colours it, and begins a line that looks like one of the tool's.
  private static let steering = "\u{1B}]0;title\u{7}\u{9B}31m\r\nPost: 9 rows"

  init() throws { file = try TemporaryFile() }

  /// Makes the file, with an object of each entity that has each of the properties.
  private func make(entities: [String], properties: [String] = ["id"]) async throws {
    try await file.make(posts)
    let step = Migration(from: 1, to: 2) { _, tx in
      for entity in entities {
        try tx.insert(entity) { row in for property in properties { try row.set(property, to: property) } }
      }
    }
    try await StoreFile.open(at: file.url, Post.self, Tag.self, options: .init(migrations: [step])).close()
  }

  private func isPlain(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control }
  }

  /// Bug: the name of an entity was a part of the path, so that a file wrote over those of its reader.
  @Test func `an export writes into its folder alone, whatever entities are called`() async throws {
    let names = [
      "../../x", "../y", "..", "a/b", "/tmp/livestore-hostile", ".hidden", "100%", "%2E", Self.steering,
    ]
    try await make(entities: names)
    let outer = file.folder.appendingPathComponent("outer")
    let folder = outer.appendingPathComponent("inner")
    let before = try file.names
    let export = try await ToolProcess.run("export", path, folder.path)
    #expect(export.status == 0 && export.error == "", "\(export)")
    #expect(try file.names == (before + ["outer"]).sorted())
    #expect(try FileManager.default.contentsOfDirectory(atPath: outer.path) == ["inner"])
    let written = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(
      Set(written)
        == Set((names + ["Post", "Tag"]).map { FileNames.lines(of: $0, in: folder).lastPathComponent }))
    #expect(written.count == names.count + 2)
    for name in written {
      #expect(!name.hasPrefix(".") && isPlain(name) && !name.contains("\n"), "\(name.debugDescription)")
    }
    for name in names {
      let lines = try String(contentsOf: FileNames.lines(of: name, in: folder), encoding: .utf8)
      #expect(lines == "{\"id\":\"id\"}\n", "\(name.debugDescription)")
    }
  }

  @Test(
    arguments: [
      ("Post", "Post.ndjson"), ("é 日", "é 日.ndjson"), ("../../x", "%2E.%2F..%2Fx.ndjson"),
      ("a%b", "a%25b.ndjson"),
      (".", "%2E.ndjson"), ("", ".ndjson"), ("a\0\u{202E}", "a%00%E2%80%AE.ndjson"),
      ("a/\u{301}b", "a%2F\u{301}b.ndjson"),
    ])
  func `the file of an entity is named as in a URL where the name is none of a file`(
    entity: String, name: String
  ) {
    let url = FileNames.lines(of: entity, in: URL(fileURLWithPath: "/folder"))
    #expect(url.path == "/folder/" + name)
  }

  /// Bug: names in messages reached the terminal as they were.
  @Test func `names of entities and properties do not steer a terminal`() async throws {
    try await make(entities: [Self.steering], properties: ["id", Self.steering])
    let entity = Self.steering
    for (arguments, status) in [
      (["query", path, "Pst"], 64), (["query", path], 64),
      (["query", path, entity, "--sort", "nothing"], 64),
      (["query", path, entity, "--select", entity + "x"], 64), (["query", path, entity], 0),
      (["inspect", path], 0),
      (["check", path], 0), (["query", path, entity, "--where", "\(entity) == 1"], 64), (["--\(entity)"], 64),
      (["inspect", path + entity], 66),
    ] as [([String], Int32)] {
      let run = try await ToolProcess.run(arguments)
      #expect(run.status == status, "\(run)")
      #expect(isPlain(run.error) && isPlain(run.output), "\(arguments): \(run)")
      #expect(!run.lines.contains { $0.hasPrefix("Post: 9 rows") }, "\(run)")
    }
  }

  /// Bug: all lines were filled with blanks to the length of the longest name or value, of which a file has one.
  @Test func `output is of about the size of what it shows`() async throws {
    let long = String(repeating: "x", count: 100_000)
    try await make(entities: ["Wide"], properties: ["id", long] + (0..<200).map { "p\($0)" })
    let inspection = try await ToolProcess.run("inspect", path)
    #expect(
      inspection.status == 0 && inspection.output.utf8.count < 1_000_000, "\(inspection.output.utf8.count)")
    #expect(inspection.output.contains(long) && inspection.output.contains("\n  p1 "))
    let narrow = try TemporaryFile()
    try await narrow.make(
      [Post(id: UUID(), title: long, likeCount: 0)]
        + (1...200).map { Post(id: UUID(), title: "short", likeCount: $0) })
    let table = try await ToolProcess.run("query", narrow.url.path, "Post", "--select", "title,likeCount")
    #expect(table.status == 0 && table.output.utf8.count < 1_000_000, "\(table.output.utf8.count)")
    #expect(table.lines.count == 202 && table.lines[1].hasPrefix("\(long)  "))
    #expect(Set(table.lines.dropFirst(2).map(\.utf8.count)).count == 1)
  }

  /// Bug: titles were measured and printed to their ends, a character of any number of marks among them.
  @Test func `a table on a terminal cuts its titles as it cuts its values`() async throws {
    let long = String(repeating: "a" + String(repeating: "\u{301}", count: 30), count: 1_600)
    try await make(entities: ["Wide"], properties: ["id", long])
    let table = try await Program("livestore-sqlite").runWithOutputOnTerminal(
      ["query", path, "Wide"], environment: ["TERM": "xterm"])
    #expect(
      table.result.status == 0 && table.shown.unicodeScalars.starts(with: "id  a".unicodeScalars),
      "\(table.result)")
    #expect(table.shown.utf8.count < 10_000, "\(table.shown.utf8.count)")
  }

  /// Bug: the last character of a line, of which each mark was compared with all others, was compared with a blank.
  @Test func `a value that ends in a character of very many marks is printed in time by its length`()
    async throws
  {
    let long = "a" + String(repeating: "\u{301}\u{323}", count: 250_000)
    try await file.make([Post(id: UUID(), title: long, likeCount: 0)])
    let table = try await ToolProcess.run("query", path, "Post", "--select", "title")
    #expect(table.status == 0 && table.output.utf8.count > 1_000_000, "\(table.output.utf8.count)")
  }

  /// Bug: messages had all names of a file, in full.
  @Test func `a message is of a limited length, whatever a file has`() async throws {
    let long = String(repeating: "x", count: 30_000)
    try await make(
      entities: ["Wide", long], properties: ["id"] + (0..<1_000).map { "\(long.prefix(120))\($0)" })
    for arguments in [
      ["query", path], ["query", path, "Wide", "--sort", "nothing"],
      ["query", path, "Wide", "--where", "nothing == 1"],
    ] {
      let run = try await ToolProcess.run(arguments)
      #expect(run.status == 64 && 1..<20_000 ~= run.error.utf8.count, "\(run.error.utf8.count)")
    }
  }

  /// Bug: a quote with a mark behind it was not doubled, so that data wrote records of its own.
  @Test(arguments: ["", "\u{301}", "\u{200D}", "\u{FE0F}"])
  func `a value of CSV is one field, whatever it has`(mark: String) {
    let text = "a\"\(mark)\n9,9\(mark)"
    let row = SeparatedValues.row([.string(text), .string("x")])
    #expect(Array(row.utf8) == Array("\"a\"\"\(mark)\n9,9\(mark)\",x".utf8))
  }

  /// Bug: what was made new could be read by all who may read the file, whatever the mask of the process.
  @Test func `what the tool makes follows the mask of its process`() async throws {
    try await file.make(posts)
    #expect(chmod(path, 0o666) == 0)
    func mode(_ name: String) throws -> Int {
      let path = file.folder.appendingPathComponent(name).path
      return try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }
    let (copy, lines) = (
      file.folder.appendingPathComponent("copy.db"), file.folder.appendingPathComponent("lines")
    )
    for (mask, expected) in [("077", 0o600), ("027", 0o640), ("000", 0o666)] {
      for arguments in [["backup", path, copy.path], ["export", path, lines.path]] {
        let result = try await Program("livestore-sqlite").run(arguments, mask: mask)
        #expect(result.status == 0, "\(result.error)")
      }
      #expect(try mode("copy.db") == expected && mode("lines/Post.ndjson") == expected, "\(mask)")
      try FileManager.default.removeItem(at: copy)
      try FileManager.default.removeItem(at: lines)
    }
  }
}
