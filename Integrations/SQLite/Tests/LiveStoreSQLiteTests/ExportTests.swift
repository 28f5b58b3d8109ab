import Foundation
import LiveStore
import LiveStoreSQLite
import Testing

private struct Measured: Entity, Codable {
  let id: Int
  var whole: Int?
  var wide: Int128?
  var unsigned: UInt64?
  var single: Float?
  var decimal: Decimal?
  var date: Date?
  var many: [Int]?
  static let schema = Schema<Measured> {
    \.whole
    \.wide
    \.unsigned
    \.single
    \.decimal
    \.date
    \.many
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Export and import of files` {
  private let folder: Folder
  private let lines: URL

  init() throws {
    folder = try Folder()
    lines = folder.url.appendingPathComponent("lines")
  }

  private func open(_ name: String) async throws -> StoreFile {
    try await StoreFile.open(at: folder.url.appendingPathComponent(name), Note.self, Author.self)
  }

  /// Bug: it was written to the end, and took the place of the last one.
  @Test func `an export that is cancelled leaves what was there`() async throws {
    let file = try await open("a.db")
    try await file.exportJSON(to: lines)
    let before = try FileManager.default.contentsOfDirectory(atPath: lines.path).sorted()
    try await file.write { tx in try tx.insert(Author(id: UUID(), name: "new")) }
    let export = Task { [lines] in
      while !Task.isCancelled { await Task.yield() }
      return try await file.exportJSON(to: lines)
    }
    export.cancel()
    await #expect(throws: CancellationError.self) { try await export.value }
    #expect(try FileManager.default.contentsOfDirectory(atPath: lines.path).sorted() == before)
    #expect(try await open("b.db").importJSON(from: lines) == 0)
    try await file.close()
  }

  /// Bug: the folders around the one to which it was exported stayed.
  @Test func `an export that is cancelled removes the folders that it made, and no other`() async throws {
    let file = try await open("a.db")
    try FileManager.default.createDirectory(at: lines, withIntermediateDirectories: true)
    for name in ["outer/inner", "outer/inner/last/"] {
      let export = Task { [lines] in
        while !Task.isCancelled { await Task.yield() }
        return try await file.exportJSON(to: lines.appendingPathComponent(name))
      }
      export.cancel()
      await #expect(throws: CancellationError.self) { try await export.value }
      #expect(try FileManager.default.contentsOfDirectory(atPath: lines.path) == [])
    }
    try await file.exportJSON(to: lines.appendingPathComponent("outer/inner"))
    let names = try FileManager.default.subpathsOfDirectory(atPath: lines.path).sorted()
    #expect(names == ["outer", "outer/inner", "outer/inner/Author.ndjson", "outer/inner/Note.ndjson"])
    try await file.close()
  }

  @Test func `what is exported is imported with the same values, links and order`() async throws {
    let authors = (0..<3).map { Author(id: UUID(), name: "\($0)\n\"") }
    var notes = (0..<2_000).map { Note($0, "é \0 \u{1F600} \($0)", author: Ref(authors[$0 % 3].id)) }
    notes[1].stars = .infinity
    notes[2].readers = [Ref(authors[2].id), Ref(authors[0].id)]
    (notes[3].due, notes[3].address, notes[3].url) = (nil, nil, nil)
    let first = try await open("first.db")
    try await first.store.write { tx in
      try tx.insert(contentsOf: notes)
      try tx.insert(contentsOf: authors)
    }
    #expect(try await first.exportJSON(to: lines) == ["Note": 2_000, "Author": 3])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: lines.path).sorted() == [
        "Author.ndjson", "Note.ndjson",
      ])
    let text = try String(contentsOf: lines.appendingPathComponent("Author.ndjson"), encoding: .utf8)
    #expect(text.contains(#""id":"\#(authors[0].id.uuidString)""#))
    let second = try await open("second.db")
    // One transaction: notes come before the authors that they link to.
    #expect(try await second.importJSON(from: lines) == 2_003)
    #expect(Array(second.store.fetch(Note.all)) == notes)
    #expect(Array(second.store.fetch(Author.all)) == authors)
    // Objects of the same id are replaced.
    try await second.store.write { tx in try tx.update(Note.self, 5) { $0.title = "other" } }
    try await second.importJSON(from: lines)
    #expect(Array(second.store.fetch(Note.all)) == notes)
    try await second.close()
    let again = try await open("second.db")
    #expect(Array(again.store.fetch(Note.all)) == notes)
  }

  @Test(arguments: ["{", "[1]", #"{"id":"x"}"#, "\u{FEFF}{}", "nul"])
  func `a line that is no object is named, and nothing is imported`(line: String) async throws {
    let file = try await open("app.db")
    try await file.exportJSON(to: lines)
    let id = UUID().uuidString
    try Data("{\"id\":\"\(id)\",\"name\":\"Ann\"}\n\n\(line)\n".utf8).write(
      to: lines.appendingPathComponent("Author.ndjson"))
    let error = await #expect(throws: StoreFileError.self) { try await file.importJSON(from: lines) }
    #expect(error?.code == .mismatch && error?.table == "Author")
    #expect(error?.message.contains("Line 3 of Author.ndjson") == true)
    #expect(file.store.count(Author.all) == 0)
  }

  /// Bug: numbers of more digits than their type has, and days that no month has, were read as others.
  @Test(arguments: [
    #""whole":123456789012345678.9"#, #""whole":9007199254740993.5"#, #""whole":1e30"#, #""wide":1e40"#,
    #""wide":1.5e0"#, #""unsigned":18446744073709551616"#, #""single":1e300"#, #""single":-3.5e38"#,
    #""decimal":0.123456789012345678901234567890123456789012345678"#,
    #""decimal":123456789012345678901234567890123456789012345678"#, #""decimal":1e200"#, #""decimal":1e-200"#,
    #""decimal":"1e-200""#, #""date":"2026-02-31""#, #""date":"2025-02-29 10:00:00""#,
    #""date":"1900-02-29""#,
    #""date":"2026-04-31""#, #""date":"2026-01-01 00:00:60""#, #""many":[1,1.5]"#,
  ])
  func `a value of a line is read as it is or refused`(member: String) async throws {
    let folder = try Folder()
    let file = try await StoreFile.open(at: folder.file, Measured.self)
    func read(_ member: String) async throws -> Measured? {
      try Data("{\"id\":1,\(member)}".utf8).write(to: folder.url.appendingPathComponent("Measured.ndjson"))
      try await file.importJSON(from: folder.url)
      return file.store[Measured.self, 1]
    }
    let error = await #expect(throws: StoreFileError.self) { try await read(member) }
    #expect(error?.code == .mismatch, "\(String(describing: error))")
    #expect(try await read(#""whole":1.5e3"#)?.whole == 1_500)
    #expect(try await read(#""whole":-9223372036854775808"#)?.whole == .min)
    #expect(try await read(#""wide":-1e30"#)?.wide == -1_000_000_000_000_000_000_000_000_000_000)
    #expect(try await read(#""unsigned":18446744073709551615"#)?.unsigned == .max)
    #expect(try await read(#""single":3.4028234663852886e38"#)?.single == .greatestFiniteMagnitude)
    #expect(try await read(#""single":"inf""#)?.single == .infinity)
    #expect(
      try await read(#""decimal":1e100"#)?.decimal == Decimal(sign: .plus, exponent: 100, significand: 1))
    let long = "-12345678901234567890123456789012345678.5e-3"
    #expect(try await read("\"decimal\":\(long)")?.decimal == Decimal(string: long, locale: nil))
    #expect(try await read(#""date":"2024-02-29T23:59:59Z""#)?.date?.timeIntervalSince1970 == 1_709_251_199)
    try await file.close()
  }

  /// Bug: a pipe was waited for, and a device without an end read until memory was full.
  @Test(.timeLimit(.minutes(10)), arguments: ["pipe", "/dev/zero", "secret"])
  func `an import reads regular files alone`(name: String) async throws {
    let (file, folder) = (try await open("app.db"), try Folder())
    let path = folder.url.appendingPathComponent("Author.ndjson").path
    if name == "pipe" {
      #expect(mkfifo(path, 0o600) == 0)
    } else {
      try Data().write(to: folder.url.appendingPathComponent("secret"))
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: name)
    }
    let error = await #expect(throws: StoreFileError.self) { try await file.importJSON(from: folder.url) }
    #expect(error?.code == .ioFailed && error?.message.contains("Author.ndjson") == true)
    try await file.close()
  }

  @Test func `lines of an import may be longer than the pieces in which they are read`() async throws {
    let (file, folder) = (try await open("app.db"), try Folder())
    let names = [1, 300_000, 262_100, 600_000].map { String(repeating: "n", count: $0) }
    let lines = names.map { "{\"id\":\"\(UUID())\",\"name\":\"\($0)\"}" }.joined(separator: "\n\n")
    try Data(lines.utf8).write(to: folder.url.appendingPathComponent("Author.ndjson"))
    #expect(try await file.importJSON(from: folder.url) == names.count)
    #expect(file.store.fetch(Author.all).map(\.name) == names)
    try await file.close()
  }

  @Test func `an entity whose name is a path is exported into the folder, and imported from there`()
    async throws
  {
    let first = try await StoreFile.open(at: folder.url.appendingPathComponent("first.db"), `a/b`.self)
    try await first.store.write { tx in try tx.insert(`a/b`(id: 1)) }
    #expect(try await first.exportJSON(to: lines).values.map(\.self) == [1])
    let second = try await StoreFile.open(at: folder.url.appendingPathComponent("second.db"), `a/b`.self)
    #expect(try await second.importJSON(from: lines) == 1)
    #expect(second.store.fetch(`a/b`.all).map(\.id) == [1])
    let names = try FileManager.default.contentsOfDirectory(atPath: lines.path)
    #expect(names == ["`a%2Fb`.ndjson"])
    try await first.close()
    try await second.close()
  }

  @Test func `an import that breaks a rule is refused as any transaction`() async throws {
    let file = try await open("app.db")
    let author = Author(id: UUID(), name: "Ann")
    try await file.store.write { tx in
      try tx.insert(author)
      try tx.insert(Note(1, author: Ref(author.id)))
    }
    try await file.exportJSON(to: lines)
    try FileManager.default.removeItem(at: lines.appendingPathComponent("Author.ndjson"))
    let other = try await open("other.db")
    let error = await #expect(throws: StoreError.self) { try await other.importJSON(from: lines) }
    #expect(error?.code == StoreError.missingLinkTarget)
    #expect(other.store.count(Note.all) == 0)
  }
}

/// An entity whose name is no name of a file.
private struct `a/b`: Entity, Codable {
  let id: Int
  static let schema = Schema<`a/b`> {}
}
