import Foundation
import LiveStore
import Synchronization
import TestSupport
import Testing

@Suite final class `Exports of JSON` {
  private let store: Store
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("export-\(UUID())")

  init() throws {
    store = try Store(Memo.self, Editor.self)
    try store.write { tx in try tx.insert(contentsOf: [Memo(2, "b\n\"", stars: 1), Memo(1, "a")]) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private var sortedKeys: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return encoder
  }

  private func text(_ query: Query<Memo>, _ format: JSONFormat, _ encoder: JSONEncoder) throws -> String {
    var data = Data()
    let count = try store.snapshot().exportJSON(query, format: format, encoder: encoder) { data.append($0) }
    #expect(count == store.count(query))
    return String(decoding: data, as: UTF8.self)
  }

  @Test func `an array has an object a line, and lines have nothing else`() throws {
    let (a, b) = (#"{"id":1,"title":"a"}"#, #"{"id":2,"stars":1,"title":"b\n\""}"#)
    #expect(try text(Memo.all, .array, sortedKeys) == "[\n\(b),\n\(a)\n]\n")
    #expect(try text(Memo.sorted(by: \.title), .lines, sortedKeys) == "\(a)\n\(b)\n")
    #expect(try text(Memo.where { $0.title == "none" }, .array, sortedKeys) == "[]\n")
    #expect(try text(Memo.where { $0.title == "none" }, .lines, sortedKeys) == "")
  }

  @Test func `an encoder that prints prettily still writes an object a line`() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .prettyPrinted
    let lines = try text(Memo.all, .lines, encoder)
    #expect(lines.split(separator: "\n").count == 2)
    let copy = try Store(Memo.self, Editor.self)
    try copy.importJSON(Memo.self, from: lines.data)
    #expect(Array(copy.fetch(Memo.all)) == Array(store.fetch(Memo.all)))
  }

  @Test func `a file is replaced once it is complete, and a failure leaves the old one`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("notes.json")
    let snapshot = store.snapshot()
    #expect(try await snapshot.exportJSON(Memo.all, to: file) == 2)
    let old = try Data(contentsOf: file)
    #expect(throws: (any Error).self) { try snapshot.exportJSON(Failing.all, to: file) }
    let failing = try Store(Failing.self)
    try await failing.write { tx in try tx.insert(contentsOf: (0..<10_000).map { Failing(id: $0) }) }
    #expect(throws: EncodingError.self) { try failing.snapshot().exportJSON(Failing.all, to: file) }
    #expect(try Data(contentsOf: file) == old)
    try await snapshot.exportJSON(Memo.where { $0.id == 1 }, to: file)
    #expect(try Data(contentsOf: file).count < old.count)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["notes.json"])
  }

  @Test func `a file keeps its permissions, and a link to it stays a link`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (file, link) = (
      folder.appendingPathComponent("notes.json"), folder.appendingPathComponent("link.json")
    )
    let files = FileManager.default
    try store.snapshot().exportJSON(Memo.all, to: file)
    try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    try files.createSymbolicLink(at: link, withDestinationURL: file)
    try store.snapshot().exportJSON(Memo.all, to: link, format: .lines)
    #expect(try files.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber == 0o600)
    #expect(try files.destinationOfSymbolicLink(atPath: link.path) == file.path)
    #expect(try String(decoding: Data(contentsOf: file), as: UTF8.self).hasPrefix("{"))
  }

  /// Bug: a pipe, or a device, was replaced by a file.
  @Test func `what is no regular file is not replaced`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let pipe = folder.appendingPathComponent("pipe")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    #expect(throws: CocoaError.self) { try store.snapshot().exportJSON(Memo.all, to: pipe) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["pipe"])
  }

  /// Bug: the permissions were set when all was written, so others could read the new file while it grew.
  @Test func `a file has its permissions before anything is in it`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("notes.json")
    let files = FileManager.default
    try store.snapshot().exportJSON(Memo.all, to: file)
    try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    let seen = Recorder<NSNumber?>()
    let folder = folder
    let looking = try Store(Looking.self)
    try looking.write { tx in try tx.insert(Looking(id: 1)) }
    Looking.look.withLock { look in
      look = {
        for name in (try? files.contentsOfDirectory(atPath: folder.path)) ?? [] where name.hasPrefix(".") {
          let path = folder.appendingPathComponent(name).path
          seen.append((try? files.attributesOfItem(atPath: path))?[.posixPermissions] as? NSNumber)
        }
      }
    }
    try looking.snapshot().exportJSON(Looking.all, to: file)
    #expect(!seen.events.isEmpty && seen.events.allSatisfy { $0 == 0o600 })
  }

  /// Bug: the group's permissions were those of the group of the process; and a temporary name was longer than its file's.
  @Test func `a file that is replaced keeps its group, and may have the longest name`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent(String(repeating: "n", count: 255))
    try store.snapshot().exportJSON(Memo.all, to: file)
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
    // A process that may not do so has its own group only.
    try? files.setAttributes([.groupOwnerAccountID: 12_345], ofItemAtPath: file.path)
    let before = try files.attributesOfItem(atPath: file.path)
    try store.snapshot().exportJSON(Memo.all, to: file)
    let after = try files.attributesOfItem(atPath: file.path)
    #expect(after[.groupOwnerAccountID] as? NSNumber == before[.groupOwnerAccountID] as? NSNumber)
    #expect(after[.posixPermissions] as? NSNumber == 0o640)
  }

  @Test func `a folder that does not exist is an error`() {
    let file = folder.appendingPathComponent("none/notes.json")
    #expect(throws: (any Error).self) { try store.snapshot().exportJSON(Memo.all, to: file) }
  }

  @Test func `text is passed on in chunks whose size does not depend on the number of objects`() throws {
    try store.write { tx in try tx.insert(contentsOf: (10..<20_000).map { Memo($0, "note \($0)") }) }
    var sizes: [Int] = []
    try store.snapshot().exportJSON(Memo.all, format: .lines) { sizes.append($0.count) }
    #expect(sizes.count > 5)
    #expect(sizes.allSatisfy { $0 < 70_000 })
  }

  @Test func `a receiver that suspends gets the same text, one chunk after another`() async throws {
    try await store.write { tx in try tx.insert(contentsOf: (10..<20_000).map { Memo($0, "note \($0)") }) }
    let encoder = sortedKeys
    for format in [JSONFormat.array, .lines] {
      let expected = try text(Memo.all, format, encoder)
      var (received, isReceiving) = (Data(), false)
      let count = try await store.snapshot().exportJSON(Memo.all, format: format, encoder: encoder) { chunk in
        #expect(!isReceiving)
        isReceiving = true
        await Task.yield()
        received.append(chunk)
        isReceiving = false
      }
      #expect(count == 19_992 && String(decoding: received, as: UTF8.self) == expected)
    }
  }

  @Test func `what a receiver throws ends the export, and so do the query's and the encoder's errors`()
    async throws
  {
    struct Full: Error {}
    try await store.write { tx in try tx.insert(contentsOf: (10..<20_000).map { Memo($0, "note \($0)") }) }
    var chunks = 0
    await #expect(throws: Full.self) {
      try await store.snapshot().exportJSON(Memo.all) { _ in
        chunks += 1
        await Task.yield()
        if chunks == 2 { throw Full() }
      }
    }
    #expect(chunks == 2)
    let failing = try Store(Failing.self)
    try await failing.write { tx in try tx.insert(Failing(id: 9_999)) }
    await #expect(throws: EncodingError.self) {
      try await failing.snapshot().exportJSON(Failing.all) { _ in await Task.yield() }
    }
    try await store.write { tx in try tx.insert(Memo(9_999_999, CostlyPattern.text)) }
    let costly = Memo.where { !$0.title.matches(CostlyPattern.pattern) }
    let error = await #expect(throws: StoreError.self) {
      try await store.snapshot().exportJSON(costly) { _ in await Task.yield() }
    }
    #expect(error?.code == StoreError.filterTooExpensive)
  }

  @Test(arguments: Seeds.forSuite(20, thorough: 200))
  func `random objects that are exported and imported again are equal`(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let notes = (0..<Int.random(in: 0...30, using: &random)).map { Memo.random(id: $0 * 3, using: &random) }
    let store = try Store(Memo.self, Editor.self)
    try await store.write { tx in
      try tx.insert(contentsOf: (0..<5).map { Editor(id: $0, name: "p") })
      try tx.insert(contentsOf: notes.shuffled(using: &random))
    }
    for format in [JSONFormat.array, .lines] {
      var data = Data()
      try store.snapshot().exportJSON(Memo.all, format: format) { data.append($0) }
      let copy = try Store(Memo.self, Editor.self)
      try await copy.write { tx in try tx.insert(contentsOf: (0..<5).map { Editor(id: $0, name: "p") }) }
      let cut = Int.random(in: 0...data.count, using: &random)
      let modes: [ImportMode<Memo>] = [.insert, .upsert, .merge]
      try await copy.importJSON(
        Memo.self, from: Chunks(data, cutAt: [cut]), mode: modes.randomElement(using: &random) ?? .insert,
        commit: .every(Int.random(in: 1...9, using: &random)))
      #expect(Array(copy.fetch(Memo.all)) == Array(store.fetch(Memo.all)), "LIVESTORE_SEED=\(seed)")
      for mode in modes.dropFirst() {
        let report = try await copy.importJSON(Memo.self, from: data, mode: mode)
        #expect((report.unchanged, report.commits) == (notes.count, 0), "LIVESTORE_SEED=\(seed)")
      }
    }
  }
}

extension Memo {
  fileprivate static func random(id: Int, using random: inout SplitMix64) -> Memo {
    let texts = ["", "a", "\"\\/\u{8}\n\u{1F600}", "é", "e\u{301}", "[{", "\u{2028}", "日本"]
    var note = Memo(id, texts.randomElement(using: &random) ?? "")
    if Bool.random(using: &random) { note.stars = [0, -1, .max, .min].randomElement(using: &random) }
    if Bool.random(using: &random) {
      note.due = Date(timeIntervalSinceReferenceDate: Double(bitPattern: random.next() >> 2))
    }
    if Bool.random(using: &random) {
      note.place = Place(city: texts[1], street: Bool.random(using: &random) ? texts[2] : nil)
    }
    if Bool.random(using: &random) { note.labels = ["a": texts[2], texts[3]: "b"] }
    if Bool.random(using: &random) { note.author = Ref<Editor>(Int.random(in: 0..<5, using: &random)) }
    if Bool.random(using: &random) { note.slug = "slug \(id)" }
    return note
  }
}

/// An object that looks around when it is encoded.
private struct Looking: Entity, Encodable {
  let id: Int
  static let schema = Schema<Looking> {}
  static let look = Mutex<(@Sendable () -> Void)?>(nil)

  func encode(to encoder: any Encoder) throws {
    Self.look.withLock { $0 }?()
    var container = encoder.singleValueContainer()
    try container.encode(id)
  }
}

private struct Failing: Entity, Codable {
  let id: Int
  static let schema = Schema<Failing> {}

  init(id: Int) { self.id = id }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(id == 9_999 ? Double.nan : 1)
  }
}
