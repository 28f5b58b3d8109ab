import Testing
import livestore_watch

@Suite struct LineSplitterTests {
  /// The lines of a stream that comes in chunks of one size.
  private func lines(_ bytes: [UInt8], chunk: Int) -> [String] {
    var (splitter, lines) = (LineSplitter(), [String]())
    func receive(_ line: UnsafeRawBufferPointer) -> Bool {
      lines.append(String(decoding: line, as: UTF8.self))
      return true
    }
    for start in stride(from: 0, to: bytes.count, by: chunk) {
      bytes[start..<min(start + chunk, bytes.count)].withUnsafeBytes { splitter.feed($0, to: receive) }
    }
    splitter.finish(to: receive)
    #expect(splitter.lineCount == lines.count)
    return lines
  }

  @Test(arguments: [
    ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("a\r\nb\r\n", ["a", "b"]),
    ("\n\na\n\n", ["", "", "a", ""]), ("a\rb\n\r\n\r", ["a\rb", "", ""]),
    ("\u{FEFF}a\n\u{FEFF}b", ["a", "\u{FEFF}b"]),
    ("\u{FEFF}", [""]), ("\u{FEFF}\r\n", [""]),
    ("é€😀\nlong line of many chunks\nx", ["é€😀", "long line of many chunks", "x"]),
  ])
  func `lines are the same however the stream is cut`(text: String, expected: [String]) {
    let bytes = Array(text.utf8)
    for chunk in 1...max(1, bytes.count) {
      #expect(lines(bytes, chunk: chunk) == expected, "chunks of \(chunk)")
    }
  }

  @Test func `a line that is too long is still too long, of one that is not nothing is left out`() {
    for chunk in 1...40 {
      for length in 0...40 {
        var (splitter, counts) = (LineSplitter(longestLine: 10), [Int]())
        func receive(_ line: UnsafeRawBufferPointer) -> Bool {
          counts.append(line.count)
          return true
        }
        let bytes =
          [0xEF, 0xBB, 0xBF] + Array(repeating: UInt8(ascii: "x"), count: length) + Array("\r\nyyyy\n".utf8)
        for start in stride(from: 0, to: bytes.count, by: chunk) {
          bytes[start..<min(start + chunk, bytes.count)].withUnsafeBytes { splitter.feed($0, to: receive) }
        }
        splitter.finish(to: receive)
        #expect(counts.count == 2 && counts[1] == 4, "chunks of \(chunk), \(length)")
        #expect(counts[0] <= 14 + 2 * chunk, "chunks of \(chunk), \(length)")
        #expect(
          length <= 10 ? counts[0] == length : counts[0] > 10, "chunks of \(chunk), \(length): \(counts)")
      }
    }
  }

  @Test func `a receiver can stop in the middle of a chunk`() {
    var (splitter, lines) = (LineSplitter(), [Int]())
    Array("a\nbb\nccc\n".utf8).withUnsafeBytes {
      splitter.feed($0) { line in
        lines.append(line.count)
        return lines.count < 2
      }
    }
    #expect(lines == [1, 2])
  }
}
