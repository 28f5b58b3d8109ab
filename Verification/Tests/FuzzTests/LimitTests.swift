import Foundation
import LiveStore
import Synchronization
import TestSupport
import Testing
import livestore_watch

/// Inputs that are large in one respect.
@Suite(.serialized, .timeLimit(.minutes(10))) struct `Large inputs` {
  private func refusal(_ text: String) throws -> JSONSyntaxError {
    guard case .failure(let error) = try JSONLaw.check(Array(text.utf8)) else {
      throw Mismatch("it was read")
    }
    return error
  }

  @Test(arguments: ["[", "{\"a\":", "[{\"a\":"])
  func `JSON that is nested 100,000 times is refused at level 513`(opening: String) throws {
    let levels = opening.utf8.count { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
    let error = try refusal(String(repeating: opening, count: 100_000))
    #expect(error.reason == "more than 512 levels of arrays and objects")
    #expect(error.column == 512 / levels * opening.utf8.count + 1)
  }

  @Test(arguments: ["(", "NOT ", "!", "NOT ("])
  func `a filter that is nested 100,000 times is refused at level 65`(opening: String) throws {
    let levels = opening.hasPrefix("NOT (") ? 2 : 1
    let error = #expect(throws: FilterSyntaxError.self) {
      try FilterSyntax(parsing: String(repeating: opening, count: 100_000) + "a == 1")
    }
    #expect(error?.message == "more than 64 levels of parentheses and NOT")
    #expect(error?.column == 64 / levels * opening.count + 1)
  }

  @Test func `numbers of very many digits are read exactly, or refused`() throws {
    let length = Environment.size(100_000, thorough: 1_000_000)
    let digits = String(repeating: "7", count: length)
    #expect(try refusal(digits).reason.hasPrefix("number out of range"))
    #expect(try refusal("1e" + digits).reason.hasPrefix("number out of range"))
    #expect(
      try refusal("0.\(String(repeating: "0", count: length))1").reason.hasPrefix("number out of range"))
    let (one, other) = (try JSONValue(parsing: "0.\(digits)"), try JSONValue(parsing: "0.\(digits)1"))
    #expect(one < other && one != other && one.description == "0.\(digits)")
    #expect(try JSONValue(parsing: "0e" + digits) == 0)
  }

  @Test func `objects of many equal keys are read, the last value of each`() throws {
    let members = (0..<100_000).map { "\"k\($0 % 10)\":\($0)" }.joined(separator: ",")
    let value = try JSONValue(parsing: "{\(members)}")
    guard case .object(let object) = value else { throw Mismatch("no object") }
    #expect(object.map(\.key) == (0..<10).map { "k\($0)" })
    #expect(object.map(\.value) == (99_990..<100_000).map { JSONValue($0) })
  }

  /// Chains are flat, whatever their length, so nothing recurses over them.
  @Test(arguments: [
    ("a == %", 10_000), ("a > %", 2_000), ("a CONTAINS '%'", 2_000), ("NOT a == %", 2_000),
    ("c.d.0 == % AND NOT b == %", 2_000), ("a < % AND b == %", 2_000), ("b != %", 2_000),
  ])
  func `filters of thousands of terms are kept up to date`(term: String, full: Int) async throws {
    let count = Environment.size(full / 10, thorough: full)
    let store = try Store(Document.self)
    try await store.write { tx in try tx.upsert(contentsOf: FilterDocuments.all) }
    for word in [" OR ", " AND "] {
      let text = (0..<count).map { "(\(term.replacingOccurrences(of: "%", with: "\($0)")))" }.joined(
        separator: word)
      let filter = try FilterSyntax(parsing: text)
      #expect(try FilterSyntax(parsing: filter.description).description == filter.description)
      let observer = CheckedObserver<Document>()
      let token = store.observe(Document.all.where(filter)) { observer.receive($0) }
      let changed = Document(id: 1, body: ["id": 1, "a": JSONValue(store.version.number), "b": 1])
      try await store.write { tx in try tx.upsert(changed) }
      try await store.settled()
      #expect(observer.rows == filter.select(store.snapshot().fetch(Document.all), \.body))
      token.invalidate()
    }
  }

  /// Bug: each of the terms read its value again: 5,000 terms over 100,000 lines took minutes.
  @Test(arguments: [
    ("a == %", " OR "), ("a CONTAINS 'x%'", " OR "), ("a == % AND b > %", " OR "),
    ("a > % AND b == -1", " OR "),
    ("NOT a == -%", " AND "), ("a != -%", " AND "),
  ])
  func `a value is read once, however many terms name it`(term: String, word: String) throws {
    let store = try Store(CountingDocument.self)
    try store.write { tx in
      for id in 0..<50 { try tx.insert(CountingDocument(id: id, body: ["a": JSONValue(-id - 1), "b": 0])) }
    }
    let text = (1...500).map { "(\(term.replacingOccurrences(of: "%", with: "\($0)")))" }.joined(
      separator: word)
    let filter = try FilterSyntax(parsing: text)
    let snapshot = store.snapshot()
    let reads = CountingDocument.reads.load(ordering: .relaxed)
    let found = snapshot.fetch(CountingDocument.all.where(filter)).map(\.id)
    #expect(CountingDocument.reads.load(ordering: .relaxed) - reads <= 50 * 2, "two values of each row")
    #expect(found == filter.select(0..<50) { ["a": JSONValue(-$0 - 1), "b": 0] })
  }

  private struct CountingDocument: DynamicEntity {
    let id: Int
    let body: JSONValue
    static let reads = Atomic(0)
    static let schema = Schema<CountingDocument>(dynamic: { document, path in
      reads.add(1, ordering: .relaxed)
      return document.body[path: path]
    })
  }

  /// Each place of the text is nearly the pattern; a search that goes back would look at 10¹⁰ letters.
  @Test func `texts of nearly the pattern are searched in one pass`() {
    let length = Environment.size(50_000, thorough: 200_000)
    for letter in ["a", "é", "e\u{301}"] {
      let text = String(repeating: letter, count: length)
      let pattern = String(repeating: letter, count: length / 4)
      for options in [TextOptions(), [.caseInsensitive, .diacriticInsensitive]] {
        #expect(!TextTest.contains.matcher(pattern + "b", options)(text))
        #expect(TextTest.contains.matcher(pattern + "b", options)(text + "b"))
      }
    }
  }

  /// A list in a filter is looked up, not scanned: a million comparisons of each of these rows would be seen.
  @Test func `lists of 100,000 values are looked up by hash`() async throws {
    let store = try Store(Document.self)
    try await store.write { tx in
      try tx.upsert(
        contentsOf: (0..<2_000).map { Document(id: JSONValue($0), body: ["a": JSONValue($0 * 7)]) })
    }
    let filter = try FilterSyntax(
      parsing: "a IN {\((0..<100_000).map { "\($0 * 2)" }.joined(separator: ","))}")
    #expect(store.snapshot().fetch(Document.all.where(filter)).count == 1_000)
  }
}
