import Foundation
import LiveStore
import TestSupport
import Testing

@Suite struct `Errors of JSON imports` {
  /// A text, and where it is wrong.
  struct Mistake: Sendable, CustomTestStringConvertible {
    var text: String
    var line: Int
    var column: Int
    var index: Int
    var reason: String

    init(_ text: String, _ line: Int, _ column: Int, index: Int = 0, _ reason: String) {
      (self.text, self.line, self.column, self.index, self.reason) = (text, line, column, index, reason)
    }

    var testDescription: String { text }
  }

  @Test(arguments: [
    Mistake("x", 1, 1, "expected a value, found x"),
    Mistake("\n\n  x", 3, 3, "expected a value, found x"),
    Mistake("[", 1, 2, "the array has no closing ]"),
    Mistake("[\n", 2, 1, "the array has no closing ]"),
    Mistake("[{\"id\":1,\n\"title\":\"a\"}\n", 3, 1, index: 1, "the array has no closing ]"),
    Mistake("[{\"id\":1,\n\"tit", 2, 5, "the text ends within an element of the array"),
    Mistake("[1", 1, 3, "the text ends within an element of the array"),
    Mistake("[,", 1, 2, "expected an element of the array"),
    Mistake(#"[{"id":1,"title":"a"},]"#, 1, 23, index: 1, "expected an element of the array"),
    Mistake(#"[{"id":1,"title":"a"},,"#, 1, 23, index: 1, "expected an element of the array"),
    Mistake(
      "[{\"id\":1,\"title\":\"a\"}\n {", 2, 2, index: 1, "expected , or ] after an element of the array"),
    Mistake(
      "[{\"id\":1,\"title\":\"a\"}]\n\n x", 3, 2, index: 1, "expected the end of the text after the array"),
    Mistake("[{\"id\":1,\n\n \"title\" \"a\"}]", 3, 10, "expected :, found \""),
    Mistake(
      "{\"id\":1,\"title\":\"a\"}\r\n\r\n{\"id\":2 \"title\"}", 3, 9, index: 1, "expected , or }, found \""),
    Mistake("{\"id\":1,\n\"title\":\"a\"}", 1, 9, "expected a key, found the end of the text"),
    Mistake(
      "{\"id\":1,\"title\":\"a\"}\n{\"id\":1e400}", 2, 7, index: 1,
      "number out of range (that of a 64-bit floating-point number)"),
    Mistake(#"{"id":1,"title":"\ud800"}"#, 1, 18, "half of a surrogate pair without the other half"),
    Mistake(
      "{\"id\":1,\"title\":\"a\u{1}\"}", 1, 19, "a control character in a string must be written as an escape"
    ),
    Mistake("{\"id\":1,\0\"title\":\"a\"}", 1, 9, "expected a key, found byte 0x00"),
    Mistake(
      "[" + String(repeating: "[", count: 600), 1, 602, "the text ends within an element of the array"),
    Mistake(
      String(repeating: " ", count: 3) + "[\n" + String(repeating: "[", count: 600)
        + String(repeating: "]", count: 601), 2, 513, "more than 512 levels of arrays and objects"),
  ])
  func `text that is no JSON is refused with its line, column and index`(mistake: Mistake) async throws {
    let outcome = try await ImportOutcome(mistake.text.utf8)
    let error = try #require(outcome.error)
    #expect(error.code == StoreError.invalidJSON)
    #expect((error.line, error.column, error.index) == (mistake.line, mistake.column, mistake.index))
    #expect(error.message.contains(": \(mistake.reason). Nothing was imported."), "\(error.message)")
    #expect(outcome.notes.isEmpty)
  }

  @Test(
    arguments: [
      [0xEF, 0xBB], [0xEF, 0x5B], [0xEF, 0xBB, 0x5B], [0xFF, 0xFE, 0x5B, 0, 0x5D, 0],
      [0xFE, 0xFF, 0, 0x5B, 0, 0x5D],
      [0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF, 0x5B, 0x5D],
    ] as [[UInt8]])
  func `another encoding than UTF-8 is refused`(bytes: [UInt8]) async throws {
    let outcome = try await ImportOutcome(bytes)
    #expect(outcome.error?.code == StoreError.invalidJSON)
    #expect((outcome.error?.line, outcome.error?.index) == (1, 0))
  }

  @Test func `text that is not UTF-8 in a string is refused`() async throws {
    let outcome = try await ImportOutcome(
      Array(#"{"id":1,"title":"a"#.utf8) + [0xC3, 0x28] + Array("\"}".utf8))
    #expect((outcome.error?.code, outcome.error?.column) == (StoreError.invalidJSON, 19))
  }

  @Test(arguments: [
    (#"{"id":2,"title":3}"#, "title"),
    (#"{"id":2}"#, "title"),
    (#"{"id":2,"title":null}"#, "title"),
    (#"{"id":2,"title":"b","place":{"street":"s"}}"#, "place.city"),
    (#"{"id":2,"title":"b","labels":{"a":"b","c":1}}"#, "labels.c"),
    (#"{"id":"2","title":"b"}"#, "id"),
    (#"{"id":2.5,"title":"b"}"#, "id"),
    (#"{"id":1e30,"title":"b"}"#, "id"),
    // Foundation's parser would end the process.
    (#"{"id":12345678901234567890\#(String(repeating: "0", count: 140))e-141,"title":3}"#, "title"),
    (#"{"id":2,"title":"b","author":[]}"#, "author"),
  ])
  func `an object that cannot be decoded is refused with its line, index and coding path`(
    text: String, path: String
  ) async throws {
    let first = #"{"id":1,"title":"a"}"#
    for text in ["\(first)\n\n\(text)", "[\(first),\n\n\(text)]"] {
      for mode: ImportMode<Memo> in [.insert, .upsert, .upsert(keeping: \.stars), .merge] {
        let outcome = try await ImportOutcome(text.utf8, mode: mode)
        let error = try #require(outcome.error, "\(text)")
        #expect(error.code == StoreError.invalidJSON)
        #expect((error.line, error.index, error.codingPath) == (3, 1, path), "\(error)")
        #expect(outcome.notes.isEmpty)
      }
    }
  }

  @Test(arguments: ["1", "\"a\"", "null", "[]", "[[]]", "[null]"])
  func `an element that is no object is refused`(text: String) async throws {
    if text == "[]" { return }
    for mode: ImportMode<Memo> in [.insert, .merge] {
      let outcome = try await ImportOutcome(text.utf8, mode: mode)
      #expect((outcome.error?.code, outcome.error?.index) == (StoreError.invalidJSON, 0))
    }
  }

  /// Bug: names of members were shown as they are.
  @Test func `a name of a member is shown in a line of limited length`() throws {
    let store = try Store(Registry.self)
    let name = "\\u001B]0;x\\u0007\\u202E\(String(repeating: "e\\u0301", count: 50_000))"
    let error = try #require(
      #expect(throws: StoreError.self) {
        try store.importJSON(Registry.self, from: #"{"id":1,"entries":{"\#(name)":"a"}}"#.data)
      })
    for text in [error.message, error.codingPath ?? ""] {
      #expect(text.contains("U+1B]0;xU+7U+202E"))
      #expect(text.unicodeScalars.count < 1_000)
      #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{202E}" })
    }
  }

  @Test func `an element in an array has its position in the coding path`() async throws {
    let store = try Store(Matrix.self)
    let error = #expect(throws: StoreError.self) {
      try store.importJSON(Matrix.self, from: #"{"id":1,"rows":[[1,2],[3,"4"]]}"#.data)
    }
    #expect(error?.codingPath == "rows[1][1]")
  }

  @Test func `an entity's own error of decoding is invalid JSON with its text`() throws {
    let store = try Store(Picky.self)
    let error = #expect(throws: StoreError.self) { try store.importJSON(Picky.self, from: #"{"id":1}"#.data) }
    #expect(error?.code == StoreError.invalidJSON)
    #expect(error?.message.contains("Refused()") == true)
  }

  @Test func `a missing file and a folder are errors of Foundation's`() async throws {
    let store = try Store(Memo.self, Editor.self)
    let folder = FileManager.default.temporaryDirectory
    for url in [
      folder, folder.appendingPathComponent("none-\(UUID())"), URL(string: "https://a.example/b.json")!,
    ] {
      #expect(throws: (any Error).self) { try store.importJSON(Memo.self, from: url) }
      await #expect(throws: (any Error).self) { try await store.importJSON(Memo.self, from: url) }
    }
  }

  private struct Document: Entity, Codable {
    let id: Int
    var body: JSONValue
    static let schema = Schema<Document> { \.body }
  }

  /// Bug: decoding 200 levels left the stack of a small thread. Mend: an import refuses more than 100.
  @Test(arguments: [(#"{"a":"#, "}"), ("[", "]")])
  func `an object of 100 levels is imported on a small thread, and one more level is refused`(
    opening: String, closing: String
  ) throws {
    // Frames of builds that are not optimised, and of sanitizers, are larger.
    #if DEBUG
      let stackSize = 4 << 20
    #else
      let stackSize = 512 << 10
    #endif
    @Sendable func text(levels: Int) -> String {
      #"{"id":1,"body":"# + String(repeating: opening, count: levels - 1) + "1"
        + String(repeating: closing, count: levels - 1) + "}"
    }
    let worker = Worker(stackSize: stackSize) {
      let store = try Store(Document.self)
      for mode in [ImportMode<Document>.insert, .upsert, .merge] {
        try store.importJSON(Document.self, from: text(levels: 100).data, mode: mode)
        for levels in [101, 500] {
          let error = #expect(throws: StoreError.self) {
            try store.importJSON(Document.self, from: text(levels: levels).data, mode: mode)
          }
          #expect(error?.code == StoreError.invalidJSON)
          #expect(error?.description.contains("more than 100 levels deep") == true)
        }
        try store.write { try $0.deleteAll(Document.self) }
      }
    }
    try worker.join()
  }
}

extension `Errors of JSON imports` {
  /// Bug: Foundation hashes keys as the standard library does, in time quadratic in the marks.
  @Test func `a key of very many marks on a letter is refused, and a long one is read`() throws {
    let store = try Store(Document.self)
    func text(_ key: String) -> String { #"{"id":1,"body":{"\#(key)":1}}"# }
    try store.importJSON(Document.self, from: text(String(repeating: "e\u{301}", count: 10_000)).data)
    try store.importJSON(
      Document.self, from: text("e" + String(repeating: "\u{301}", count: 1_000)).data, mode: .upsert)
    let error = #expect(throws: StoreError.self) {
      try store.importJSON(Document.self, from: text("e" + String(repeating: "\u{301}", count: 1_001)).data)
    }
    #expect(error?.code == StoreError.invalidJSON && error?.message.contains("more than 1000 marks") == true)
  }
}

private struct Matrix: Entity, Codable {
  let id: Int
  var rows: [[Int]]
  static let schema = Schema<Matrix> { \.rows }
}

private struct Picky: Entity, Decodable {
  struct Refused: Error {}

  let id: Int
  static let schema = Schema<Picky> {}

  init(from decoder: any Decoder) throws { throw Refused() }
}

private struct Registry: Entity, Codable {
  let id: Int
  var entries: [String: Int] = [:]
  static let schema = Schema<Registry> { \.entries }
}
