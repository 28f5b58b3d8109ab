import Foundation
import LiveStore
import TestSupport
import Testing
import livestore_watch

@Suite struct BatchReaderTests {
  private let files = TemporaryFiles()

  /// What a reader gives: the ids of its groups, its bad lines and its counts.
  private struct Reading {
    var groups: [[JSONValue]] = []
    var badLines: [String] = []
    var tally = InputTally()
  }

  private func read(
    _ files: [String], key: String = "id", batch: Int? = nil, strict: Bool = false
  ) throws -> Reading {
    let badLines = Recorder()
    var reading = Reading()
    var reader = BatchReader(
      files: files, rules: InputRules(key: ObjectKey([try #require(KeyPathText(key))])), batch: batch
    ) { line in
      badLines.lines.append("\(line.line): \(line.reason)")
      return !strict
    }
    while let group = try reader.next() { reading.groups.append(group.compactMap { $0.document?.id }) }
    reading.badLines = badLines.lines
    reading.tally = reader.tally
    return reading
  }

  private final class Recorder {
    var lines: [String] = []
  }

  @Test func `a line beyond the limit is a bad line, and the others are read`() throws {
    let fitting = #"{"id":1,"x":"0123456789"}"#
    let file = try files.file(
      ["\(fitting)", #"{"id":2,"x":"01234567890"}"#, #"{"id":3}"#].joined(separator: "\n"))
    var rules = InputRules()
    rules.longestLine = fitting.utf8.count
    let badLines = Recorder()
    var reader = BatchReader(files: [file], rules: rules, batch: nil) { line in
      badLines.lines.append("\(line.line): \(line.reason)")
      return true
    }
    #expect(try reader.next()?.compactMap { $0.document?.id } == [1, 3])
    #expect(badLines.lines == ["2: the line is longer than 25 bytes, which is the limit"])
    #expect(InputRules().longestLine == 256 << 20)
  }

  @Test func `without a key every line is an object of its own, over all files`() throws {
    let first = try files.file("{\"id\":1}\n\n{\"id\":1}\nbad\n{}\n")
    let second = try files.file("{\"id\":1}\n[]\n")
    let badLines = Recorder()
    var reader = BatchReader(files: [first, second], rules: InputRules(key: .line), batch: nil) { line in
      badLines.lines.append("\(line.line): \(line.reason)")
      return true
    }
    #expect(try reader.next()?.compactMap { $0.document?.id } == [1, 2, 4])
    #expect(try reader.next()?.compactMap { $0.document?.id } == [5])
    #expect(badLines.lines == ["4: column 1: expected a value, found b"])
  }

  private func numbered(_ range: ClosedRange<Int>) -> String {
    range.map { "{\"id\":\($0)}\n" }.joined()
  }

  @Test func `groups are of the size asked for, and end with the file`() throws {
    let (first, second) = (try files.file(numbered(1...5)), try files.file(numbered(6...7)))
    let reading = try read([first, second], batch: 2)
    #expect(reading.groups == [[1, 2], [3, 4], [5], [6, 7]])
    #expect(reading.tally == InputTally(lines: 7, badLines: 0))
  }

  @Test func `regular files are read in groups of 1,000`() throws {
    let file = try files.file(numbered(1...2_500))
    #expect(try read([file]).groups.map(\.count) == [1_000, 1_000, 500])
  }

  @Test func `groups of a long regular file grow with what has been read`() throws {
    // From 16,000 on.
    let count = Environment.size(24_000, thorough: 40_000)
    let file = try files.file(numbered(1...count))
    let groups = try read([file]).groups
    #expect(groups.flatMap { $0 } == (1...count).map { JSONValue($0) })
    var before = 0
    for group in groups.dropLast() {
      #expect(group.count == max(1_000, before / 16))
      before += group.count
    }
    #expect(before > count / 4 * 3)
  }

  @Test(arguments: [
    (changes: 0, bytes: 0, size: 1_000), (1_000, 100_000, 1_000), (16_000, 1_600_000, 1_000),
    (160_000, 32_000_000, 10_000), (1_600_000, 320_000_000, 41_943), (1_600_000, 3_200_000_000, 4_194),
    (16_000, 16_000_000_000, 1_000),
  ])
  func `a group of a regular file holds 1,000 changes, or a sixteenth of those before it of at most 8 MB`(
    changes: Int, bytes: Int, size: Int
  ) {
    #expect(BatchReader.regularSize(after: changes, of: bytes) == size)
  }

  @Test func `a file larger than one read is read whole and in order`() throws {
    let padding = String(repeating: "x", count: 1_000)
    let count = Environment.size(1_000, thorough: 2_000)
    let file = try files.file((0..<count).map { "{\"id\":\($0),\"x\":\"\(padding)\"}\n" }.joined())
    #expect(try read([file], batch: 700).groups.flatMap { $0 } == (0..<count).map { JSONValue($0) })
  }

  @Test func `a line of several megabytes is one document`() throws {
    let file = try files.file(
      "{\"id\":1,\"x\":\"\(String(repeating: "y", count: 3_000_000))\"}\n{\"id\":2}")
    #expect(try read([file]).groups == [[1, 2]])
  }

  @Test func `a pipe gives what is there to read, or groups of the size asked for`() throws {
    let text = numbered(1...7)
    for (batch, groups) in [(nil, [[1, 2, 3, 4, 5, 6, 7]]), (3, [[1, 2, 3], [4, 5, 6], [7]])]
      as [(Int?, [[JSONValue]])]
    {
      let pipe = PrivatePipe()
      try pipe.writing.write(contentsOf: Data(text.utf8))
      try pipe.writing.close()
      let path = "/dev/fd/\(pipe.reading.fileDescriptor)"
      #expect(try read([path], batch: batch).groups == groups)
    }
  }

  private static let lines: [String] = {
    let padding = String(repeating: "x", count: 100)
    return (0..<Environment.size(3_100, thorough: 40_000)).map {
      "{\"id\":\($0 * $0 % 97),\"n\":\($0),\"x\":\"\(padding)\"}\n"
    }
  }()

  /// The objects of the lines.
  private static let documents: [Document] = lines.compactMap { line in
    (try? JSONValue(parsing: line)).map { Document(id: $0["id"], body: $0) }
  }

  @Test(arguments: [nil, 1, 7, 1_000, 3_000, 30_000, .max])
  func `groups give the same as their lines one by one, however many are replaced`(batch: Int?) throws {
    let total = Self.documents.count
    #expect(total == Self.lines.count)
    let path = try files.file(Self.lines.joined())
    var reader = BatchReader(files: [path], rules: InputRules(), batch: batch) { _ in false }
    var (count, read) = (0, 0)
    while let group = try reader.next() {
      let size = min(batch ?? max(1_000, read / 16), total - read)
      let (found, expected) = (
        NaiveGroup(group.compactMap(\.document)[...]), NaiveGroup(Self.documents[read..<read + size])
      )
      #expect(found == expected, "group \(count)")
      (count, read) = (count + 1, read + size)
    }
    #expect(read == total)
  }

  /// Objects by id, in order of their first lines.
  private struct NaiveGroup: Equatable {
    private(set) var documents: [Document] = []

    init(_ documents: ArraySlice<Document>) {
      var positions: [JSONValue: Int] = [:]
      for document in documents {
        if let position = positions[document.id] {
          self.documents[position] = document
        } else {
          positions[document.id] = self.documents.count
          self.documents.append(document)
        }
      }
    }
  }

  /// Bug: a group of two million lines that replace each other held them all.
  @Test func `lines of a large group that later ones replace are released`() throws {
    let padding = String(repeating: "x", count: 10_000)
    // More than the 16 MB of which those that are replaced are held.
    let count = Environment.size(2_500, thorough: 5_000)
    let path = try files.file((0..<count).map { "{\"id\":\($0 % 10),\"x\":\"\(padding)\"}\n" }.joined())
    let groups = try read([path], batch: .max).groups
    #expect(groups.count == 1 && groups[0].prefix(10) == (0..<10).map { JSONValue($0) }[...])
    #expect(groups[0].count < count / 2)
  }

  @Test func `objects without the key are counted, and the first is kept`() throws {
    let paths = [try files.file("{}\n{\"id\":1}\n"), try files.file("bad\n{\"ID\":1}\n{\"Id\":2}")]
    var reader = BatchReader(files: paths, rules: InputRules(), batch: nil) { _ in true }
    while let group = try reader.next() { #expect(group.count == 1) }
    #expect(reader.keyless.count == 3 && reader.keyless.example == [:])
  }

  @Test func `bad lines are reported with their numbers and skipped`() throws {
    let file = try files.file(
      """
      \u{FEFF}{"id": 1}\r

      {"id": 2
      [1, 2]
       \t\r
      {"id": null}
      {"other": 3}
      "text"
      {"id": 4} x
      {"id": 5}
      """)
    let reading = try read([file])
    #expect(reading.groups == [[1, 4, 5]])
    #expect(
      reading.badLines == [
        "3: column 9: expected , or }, found the end of the text", "4: expected an object, found a number",
        "4: expected an object, found a number",
        "6: the key id is missing or null", "7: the key id is missing or null",
        "8: expected an object, found a string",
        "9: column 1: expected a value, found x",
      ])
    #expect(reading.tally == InputTally(lines: 10, badLines: 7))
    #expect(reading.tally.summary == "10 lines, 7 bad")
  }

  @Test func `bytes that are not UTF-8 make a bad line and nothing else`() throws {
    let file = try files.file(
      bytes: Array("{\"id\":1}\n{\"id\":\"".utf8) + [0xFF, 0xFE] + Array("\"}\n{\"id\":3}".utf8))
    let reading = try read([file])
    #expect(reading.groups == [[1, 3]] && reading.badLines == ["2: column 8: not UTF-8"])
  }

  @Test func `a reader that is asked to stop at a bad line gives what came before`() throws {
    let file = try files.file(numbered(1...3) + "bad\n" + numbered(4...5))
    let reading = try read([file, file], batch: 2, strict: true)
    #expect(reading.groups == [[1, 2], [3]])
    #expect(reading.tally == InputTally(lines: 4, badLines: 1, hasStopped: true))
  }

  @Test func `the key may lead into nested objects, and ids are JSON values`() throws {
    let file = try files.file(
      #"{"a":{"b":1.0}}"# + "\n" + #"{"a":{"b":"1"}}"# + "\n" + #"{"a":{"b":[1]}}"#)
    #expect(try read([file], key: "a.b").groups == [[1, "1", [1]]])
  }

  @Test func `a file that cannot be read is named with the reason and status 66`() throws {
    let message = "cannot read /nowhere/at/all: No such file or directory"
    #expect(throws: Exit(.noInput, message)) { try read(["/nowhere/at/all"]) }
    #expect(throws: Exit(.noInput, message)) { try InputFile.check("/nowhere/at/all") }
    #expect(throws: Exit(.noInput, "cannot read /: Is a directory")) { try read(["/"]) }
  }
}
