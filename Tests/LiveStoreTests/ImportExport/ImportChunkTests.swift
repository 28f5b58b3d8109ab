import Foundation
import LiveStore
import Synchronization
import TestSupport
import Testing

@Suite struct `Chunks of JSON imports` {
  private static let texts = [
    "\u{FEFF} [ {\"id\":1,\"title\":\"a\\\"]},{é\\\\\"},\r\n\n{\"title\":\"b\",\"place\":{\"city\":\"[\"},\"id\":2} ]\n",
    "\u{FEFF}\r\n{\"id\":1,\"title\":\"é\\n\"}\r\n\r\n {\"id\":2,\"title\":\"[{\",\"labels\":{\"😀\":\"\"}}",
    "[{\"id\":1,\"title\":\"a\"},\n{\"id\":2,\"title\":3},{\"id\":3}]",
    "[{\"id\":1,\"title\":\"a\"},\n{\"id\":1,\"title\":\"b\"}\n,{",
    "{\"id\":1,\"title\":\"a\"}\n\n{\"id\":2,\"title\":\"b\"}\n{\"id\":",
    "[12,",
    "[ ] x",
    "\u{FEFF}",
  ]

  @Test(arguments: texts, [ImportCommit.once, .every(1)])
  func `the result does not depend on how the text is cut`(text: String, commit: ImportCommit) async throws {
    let bytes = Array(text.utf8)
    let whole = try await ImportOutcome(bytes, commit: commit)
    for first in 0...bytes.count {
      #expect(try await ImportOutcome(bytes, cutAt: [first], commit: commit) == whole, "cut at \(first)")
    }
    #expect(try await ImportOutcome(bytes, cutAt: Array(1..<max(1, bytes.count)), commit: commit) == whole)
  }

  @Test(arguments: texts.prefix(2))
  func `brackets, commas and newlines within strings end no element`(text: String) async throws {
    let outcome = try await ImportOutcome(text.utf8)
    #expect(outcome.notes.map(\.id) == [1, 2])
    #expect(outcome.error == nil)
  }

  @Test func `damaged text gives an error or objects, the same however it is cut`() async throws {
    for seed in Seeds.forSuite(40, thorough: 5_000) {
      var random = SplitMix64(seed: seed)
      var bytes = Array(random.pick(Self.texts).utf8)
      for _ in 0..<random.int(1...3) where !bytes.isEmpty {
        let position = random.int(0...(bytes.count - 1))
        switch random.int(0...2) {
        case 0: bytes.remove(at: position)
        case 1: bytes[position] = UInt8(truncatingIfNeeded: random.next())
        default: bytes.insert(random.pick(Array("[]{},:\"\\\n 0".utf8)), at: position)
        }
      }
      let mode = random.pick([ImportMode<Memo>.insert, .upsert, .merge])
      let whole = try await ImportOutcome(bytes, mode: mode, commit: .every(1))
      let cuts = (0..<random.int(1...4)).map { _ in random.int(0...bytes.count) }.sorted()
      let cut = try await ImportOutcome(bytes, cutAt: cuts, mode: mode, commit: .every(1))
      #expect(cut == whole, "LIVESTORE_SEED=\(seed)")
      #expect((whole.error == nil) == (whole.report != nil), "LIVESTORE_SEED=\(seed)")
      if let error = whole.error {
        #expect(
          error.line != nil && error.index != nil && error.committedCount != nil, "LIVESTORE_SEED=\(seed)")
      }
    }
  }

  @Test func `an element that is too long is refused wherever the text is cut`() throws {
    for text in ["[1,\n \"234567\"]", "1\n\"234567\"\n"] {
      let bytes = Array(text.utf8)
      for cut in 0...bytes.count {
        var splitter = JSONElementSplitter(maximumLength: 7)
        var elements: [String] = []
        let error = #expect(throws: JSONListError.self) {
          for part in [bytes[..<cut], bytes[cut...]] {
            try part.withUnsafeBytes { part in
              try splitter.read(part) { elements.append(String(decoding: $0.bytes, as: UTF8.self)) }
            }
          }
          try splitter.finish { _ in }
        }
        #expect(error?.index == 1)
        #expect(error?.position == JSONPosition(line: 2, column: text.hasPrefix("[") ? 2 : 1))
        #expect(error?.reason == "the element is longer than 7 bytes")
        #expect(elements == ["1"])
      }
    }
  }

  @Test func `bytes one by one, chunks, data and a file give the same objects`() async throws {
    let count = Environment.size(400, thorough: 2_000)
    let text = (0..<count).map { "{\"id\":\($0),\"title\":\"note \($0)\"}" }.joined(separator: "\n")
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).ndjson")
    try text.data.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let whole = try await ImportOutcome(text.utf8)
    #expect(whole.notes.count == count)
    let bytes = AsyncStream { continuation in
      for byte in text.utf8 { continuation.yield(byte) }
      continuation.finish()
    }
    let imports: [(Store) async throws -> ImportReport] = [
      { try await $0.importJSON(Memo.self, from: bytes) },
      { try await $0.importJSON(Memo.self, from: text.data) },
      { try await $0.importJSON(Memo.self, from: file) },
      { store in try self.blocking { try store.importJSON(Memo.self, from: text.data) } },
      { store in try self.blocking { try store.importJSON(Memo.self, from: file) } },
    ]
    for make in imports {
      let store = try Store(Memo.self, Editor.self)
      #expect(try await make(store) == whole.report)
      #expect(Array(store.fetch(Memo.all)) == whole.notes)
    }
  }

  private func blocking<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }

  @Test func `progress ends with all bytes and objects, and never goes back`() async throws {
    // Two chunks, of fewer objects in the usual run.
    let count = Environment.size(1_500, thorough: 5_000)
    let title = String(repeating: "t", count: 100_000 / count - 19)
    let text = (0..<count).map { "{\"id\":\($0),\"title\":\"\(title)\"}" }.joined(separator: "\n")
    let store = try Store(Memo.self, Editor.self)
    var steps: [ImportProgress] = []
    try await store.importJSON(Memo.self, from: text.data, commit: .every(700)) { steps.append($0) }
    #expect(steps.count > 2)
    for (one, other) in zip(steps, steps.dropFirst()) {
      #expect(one.bytesRead <= other.bytesRead && one.objectsCommitted <= other.objectsCommitted)
      #expect(one.objectsRead - one.objectsCommitted < 700)
    }
    let last = try #require(steps.last)
    #expect((last.bytesRead, last.totalBytes) == (text.utf8.count, text.utf8.count))
    #expect((last.objectsRead, last.objectsCommitted) == (count, count))
  }

  @Test func `memory holds a chunk and a batch, whatever the length of the text`() async throws {
    let store = try Store(Weight.self)
    let counter = LiveCounter.shared
    let chunks = Environment.size(60, thorough: 300)
    var source = CountedChunks(count: chunks, objectsPerChunk: 40)
    let before = counter.objects.load(ordering: .relaxed)
    var most = (chunks: 0, objects: 0)
    source.onNext = {
      most.chunks = max(most.chunks, counter.chunks.load(ordering: .relaxed))
      most.objects = max(most.objects, counter.objects.load(ordering: .relaxed) - before)
    }
    let report = try await store.importJSON(Weight.self, from: source, mode: .upsert, commit: .every(100))
    #expect(report.objects == chunks * 40 + 1)
    // At most the chunk just read is alive when the next is asked for.
    #expect(most.chunks <= 1)
    // Ten objects are stored. A batch and a chunk wait, and the commits before may still be observed.
    #expect(most.objects <= 10 + 100 + 40, "\(most.objects)")
  }
}

/// Counts what is alive.
private final class LiveCounter: Sendable {
  static let shared = LiveCounter()
  let chunks = Atomic(0)
  let objects = Atomic(0)
}

/// An object that is counted.
private struct Weight: Entity, Codable {
  final class Token: Sendable {
    init() { LiveCounter.shared.objects.add(1, ordering: .relaxed) }
    deinit { LiveCounter.shared.objects.subtract(1, ordering: .relaxed) }
  }

  let id: Int
  var token = Token()
  static let schema = Schema<Weight> { Ignored(\.token) }

  enum CodingKeys: CodingKey { case id }
}

/// Chunks that are counted; objects lie across their borders.
private struct CountedChunks: AsyncSequence, AsyncIteratorProtocol {
  let count: Int
  let objectsPerChunk: Int
  var position = 0
  var onNext: () -> Void = {}

  /// Bytes that count themselves.
  final class Bytes {
    let content: [UInt8]

    init(_ text: String) {
      content = Array(text.utf8)
      LiveCounter.shared.chunks.add(1, ordering: .relaxed)
    }

    deinit { LiveCounter.shared.chunks.subtract(1, ordering: .relaxed) }
  }

  struct Chunk: RandomAccessCollection {
    let bytes: Bytes
    var startIndex: Int { 0 }
    var endIndex: Int { bytes.content.count }
    subscript(index: Int) -> UInt8 { bytes.content[index] }
  }

  func makeAsyncIterator() -> CountedChunks { self }

  mutating func next() async -> Chunk? {
    onNext()
    guard position < count else { return nil }
    defer { position += 1 }
    let objects = (0..<objectsPerChunk).map { "\":\($0 % 10)}\n{\"id" }.joined()
    return Chunk(
      bytes: Bytes(position == 0 ? "{\"id\(objects)" : position == count - 1 ? "\(objects)\":1}" : objects))
  }
}
