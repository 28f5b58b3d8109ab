import Foundation
import LiveStore
import TestSupport
import Testing
import livestore_watch

/// One line of many megabytes: what it costs is memory for itself, and for as long as it is read.
@Suite(.timeLimit(.minutes(10))) struct `A long line` {
  static let megabytes = Environment.isLong ? [4, 100] : [4]

  /// Chunks of a line, made as they are read.
  private func read(
    _ megabytes: Int, _ head: String, _ piece: String, _ tail: String, into reader: inout DocumentReader
  ) -> (documents: [Document], badLines: [BadLine]) {
    var (documents, badLines): ([Document], [BadLine]) = ([], [])
    func feed(_ bytes: [UInt8], _ reader: inout DocumentReader) {
      bytes.withUnsafeBytes { chunk in
        reader.read(chunk, into: &documents) { line in
          badLines.append(line)
          return true
        }
      }
    }
    let chunk = Array(String(repeating: piece, count: (1 << 16) / piece.utf8.count).utf8)
    feed(Array(head.utf8), &reader)
    for _ in 0..<megabytes * 16 { feed(chunk, &reader) }
    feed(Array(tail.utf8), &reader)
    return (documents, badLines)
  }

  @Test(arguments: megabytes)
  func `a long line is one document`(megabytes: Int) throws {
    var reader = DocumentReader(file: "-", rules: InputRules(key: .standard))
    let (documents, badLines) = read(
      megabytes, "{\"id\":1,\"x\":\"", "0123456789abcdef", "\"}\n{\"id\":2}\n", into: &reader)
    #expect(documents.map(\.id) == [1, 2] && badLines.isEmpty)
    guard case .string(let text) = documents.first?.body["x"] else { throw Mismatch("no text") }
    #expect(text.utf8.count == megabytes << 20)
  }

  @Test(arguments: megabytes)
  func `a long line that is refused has a short message, and the next line is read`(megabytes: Int) throws {
    let lines: [(String, String, String, [JSONValue], String)] = [
      ("{\"id\":1,\"x\":\"", "0123456789abcdef", "\n", [2], "the string has no closing quote"),
      ("{\"id\":", "1234567812345678", "}\n", [2], "number out of range"),
      ("[", "[[[[[[[[", "\n", [2], "more than 512 levels"), ("", "xxxxxxxx", "\n", [2], "expected a value"),
      ("{\"id\":1}", "        ", "x\n", [1, 2], "expected a value"),
    ]
    for (head, piece, tail, ids, reason) in lines {
      var reader = DocumentReader(file: "-", rules: InputRules(key: .standard))
      let (documents, badLines) = read(megabytes, head, piece, tail + "{\"id\":2}\n", into: &reader)
      #expect(documents.map(\.id) == ids && badLines.map(\.line) == [1])
      #expect(badLines.first?.reason.contains(reason) == true, "\(badLines)")
      for line in badLines { try Fuzzing.requireLine(line.description) }
    }
  }
}
