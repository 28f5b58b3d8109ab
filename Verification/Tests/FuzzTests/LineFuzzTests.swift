import Foundation
import LiveStore
import TestSupport
import Testing
import livestore_watch

@Suite struct `Made up lines` {
  private static let key = KeyPathText(steps: ["id"])

  /// What the tool's reader gives for these bytes, in chunks that end at these places.
  private static func reading(
    _ bytes: [UInt8], cutAt cuts: [Int], stopsAt limit: Int = .max
  ) -> (documents: [Document], badLines: [String], reader: DocumentReader) {
    var reader = DocumentReader(file: "-", rules: InputRules(key: ObjectKey([key])))
    var (documents, badLines): ([Document], [String]) = ([], [])
    var start = 0
    for end in cuts.sorted() + [bytes.count] {
      bytes[start..<end].withUnsafeBytes { chunk in
        reader.read(chunk, into: &documents) { line in
          badLines.append(line.description)
          return badLines.count < limit
        }
      }
      start = end
    }
    reader.read(nil, into: &documents) { line in
      badLines.append(line.description)
      return badLines.count < limit
    }
    return (documents, badLines, reader)
  }

  @Test func `made up lines give the same documents and bad lines in chunks of any size`() async {
    await Fuzzing.run("lines in chunks", inputs: 800) { random in
      var maker = LineMaker(random: random.fork())
      let bytes = maker.input()
      let plain = PlainReading(bytes, key: Self.key)
      let each = Array(0...bytes.count)
      for cuts in [[], random.some(of: each, upTo: 3), random.some(of: each, upTo: 40), each] {
        let (documents, badLines, reader) = Self.reading(bytes, cutAt: cuts)
        try require(documents == plain.documents, "\(documents), cut at \(cuts), of \(shown(bytes))")
        try require(badLines == plain.badLines, "\(badLines), cut at \(cuts), of \(shown(bytes))")
        try require(
          reader.lineCount == plain.lineCount && reader.badLineCount == badLines.count,
          "counts of \(shown(bytes))")
      }
      for line in plain.badLines { try Fuzzing.requireLine(line) }
      let limit = random.int(1...3)
      let (documents, badLines, reader) = Self.reading(
        bytes, cutAt: random.some(of: each, upTo: 5), stopsAt: limit)
      try require(
        badLines == Array(plain.badLines.prefix(limit)),
        "bad lines until a stop at \(limit), of \(shown(bytes))")
      try require(
        reader.hasStopped == (plain.badLines.count >= limit), "a stop at \(limit), of \(shown(bytes))")
      try require(documents == Array(plain.documents.prefix(documents.count)), "documents before a stop")
    }
  }

  @Test func `made up lines that hold a refused one leave a store as it was`() async {
    await Fuzzing.run("lines in one transaction", inputs: 300) { random in
      let store = try Store(Document.self)
      var known: [JSONValue: JSONValue] = [:]
      for _ in 0..<4 {
        var maker = LineMaker(random: random.fork())
        let bytes = maker.input()
        let plain = PlainReading(bytes, key: Self.key)
        let before = store.snapshot()
        do {
          try await store.write { tx in
            let (documents, badLines, _) = Self.reading(bytes, cutAt: [], stopsAt: 1)
            try tx.upsert(contentsOf: documents)
            if let line = badLines.first { throw Mismatch(line) }
          }
          for document in plain.documents { known[document.id] = document.body }
          try require(plain.badLines.isEmpty, "a bad line was written: \(shown(bytes))")
        } catch {
          try require(!plain.badLines.isEmpty, "\(error) for \(shown(bytes))")
          try require(store.version == before.version, "a version of what was refused: \(shown(bytes))")
        }
        let there = store.snapshot().fetch(Document.all)
        try require(there.count == known.count, "\(there.count) documents instead of \(known.count)")
        for document in there { try require(known[document.id] == document.body, "\(document) in the store") }
      }
    }
  }

  @Test func `made up lines are shown by the tool as a plain list would be`() async {
    let folder = NSTemporaryDirectory() + "/livestore-fuzz-\(UUID())"
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    await Fuzzing.run("inputs of the tool", inputs: 150) { random in
      var maker = LineMaker(random: random.fork())
      let bytes = maker.input()
      let (input, output) = (folder + "/input", folder + "/output")
      try Data(bytes).write(to: URL(fileURLWithPath: input))
      _ = FileManager.default.createFile(atPath: output, contents: nil)
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
      var options = WatchOptions()
      options.files = [input]
      options.once = true
      options.output = .json
      options.batch = random.pick([nil, 1, 2, 5])
      options.strict = random.chance(1, in: 4)
      var badLines: [String] = []
      let printer = ResultPrinter(
        options, writer: OutputWriter(descriptor: file.fileDescriptor), isColored: false)
      var watch = try Watch(options, reporter: Reporter(printer)) {
        badLines.append("-:\($0.line): \($0.reason)")
      }
      let end = await watch.run()
      let plain = PlainReading(bytes, key: Self.key)
      let isStopped = options.strict && !plain.badLines.isEmpty
      let isUnreadable = plain.documents.isEmpty && !plain.badLines.isEmpty
      let status: livestore_watch.ExitStatus = isStopped ? .badLine : isUnreadable ? .badInput : .success
      try require(end.status == status, "\(end) for \(shown(bytes))")
      let received = isStopped ? Array(plain.badLines.prefix(1)) : plain.badLines
      try require(badLines == received, "bad lines of \(shown(bytes))")
      try file.close()
      let lines = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
      var (order, bodies): ([JSONValue], [JSONValue: JSONValue]) = ([], [:])
      for document in plain.documents {
        if bodies.updateValue(document.body, forKey: document.id) == nil { order.append(document.id) }
      }
      let expected = isStopped ? [] : order.compactMap { bodies[$0] }
      try require(
        try lines.map { try JSONValue(parsing: String($0)) } == expected, "\(lines) of \(shown(bytes))")
    }
  }
}
