import Crypto
import Foundation
import LiveStore
import LiveStoreSQLite
import Testing

private struct Maker: Entity, Codable, Equatable {
  let id: Int
  static let schema = Schema<Maker> {}
}

/// An object with a property of each kind of column.
private struct Part: Entity, Codable, Equatable {
  struct Place: Codable, Equatable, Sendable {
    var city: String
    var floors: [Int]
    var code: UUID?
    var seal: Data?
    var isOpen = true
  }

  enum State: Codable, Equatable, Sendable { case new, sold(to: String) }

  /// Text or an object.
  enum Size: Codable, Equatable, Sendable {
    case name(String)
    case measures([String: Int])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      self =
        try (try? container.decode(String.self)).map(Size.name)
        ?? .measures(container.decode([String: Int].self))
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .name(let name): try container.encode(name)
      case .measures(let measures): try container.encode(measures)
      }
    }
  }

  let id: UUID
  var text: String
  var optionalText: String?
  var integer: Int64
  var unsigned: UInt64
  var real: Double
  var decimal: Decimal
  var flag: Bool
  var date: Date
  var data: Data
  var url: URL?
  var place: Place
  var optionalPlace: Place?
  var tags: [String]
  var flags: [Bool]
  var names: [String: Int]
  var state: State
  var size: Size
  var any: JSONValue
  var maker: Ref<Maker>?
  var makers: RefList<Maker>
  static let schema = Schema<Part> {
    \.text
    \.optionalText
    \.integer
    \.unsigned
    \.real
    \.decimal
    \.flag
    \.date
    \.data
    \.url
    \.place
    \.optionalPlace
    \.tags
    \.flags
    \.names
    \.state
    \.size
    \.any
    Relation(\.maker)
    Relation(\.makers)
  }

  init(_ number: Int, text: String, data: Data = Data(), any: JSONValue = true) {
    id = UUID()
    (self.text, optionalText) = (text, number % 2 == 0 ? text : nil)
    integer = [.min, .max, 0, -1, 1 << 53 + 1][number % 5]
    unsigned = [0, .max, 1, 1 << 63][number % 4]
    real = [0.1, -0.0, 3, .infinity, -1e300][number % 5]
    decimal = [Decimal(string: "0.10") ?? 0, -7][number % 2]
    flag = number % 2 == 1
    date = Date(timeIntervalSinceReferenceDate: [0.25, 1 / 3.0, -1e13, 700_000_000][number % 4])
    self.data = data
    url = number % 3 == 0 ? URL(string: "https://example.com/a?b=[1]") : nil
    place = Place(city: text, floors: [1, 2], code: number % 2 == 0 ? UUID() : nil, seal: data)
    optionalPlace = number % 2 == 0 ? nil : place
    (tags, flags, names) = (number % 2 == 0 ? [] : [text, "[1]"], [true, false], [text: 1])
    state = number % 2 == 0 ? .new : .sold(to: text)
    size = number % 2 == 0 ? .name("\(number)") : .measures(["width": number])
    self.any = any
    maker = number % 2 == 0 ? nil : Ref(1)
    makers = RefList([2, 1])
  }
}

private enum Before {
  struct Item: Entity, Codable {
    let id: Int
    var flag: Bool
    var isCounted: Bool
    var note: String
    var bytes: Data
    var gone: String
    static let schema = Schema<Item> {
      \.flag
      \.isCounted
      \.note
      \.bytes
      \.gone
    }
  }
}

private enum After {
  struct Item: Entity, Codable, Equatable {
    let id: Int
    var isOpen: Bool
    var isCounted: Int
    var note: String
    var bytes: Data
    var mark: Data
    var tags: [String]?
    static let schema = Schema<Item> {
      \.isOpen
      \.isCounted
      \.note
      \.bytes
      \.mark
      \.tags
    }
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Kinds of values` {
  private static let parts: [Part] = [
    Part(0, text: ""), Part(1, text: "[1]", data: Data(0..<16), any: "[1]"),
    Part(2, text: #"{"a":1}"#, data: Data(repeating: 255, count: 16), any: ["a": [1, nil, "x"]]),
    Part(3, text: "a\u{0}b", data: Data([0]), any: 1.5),
    Part(4, text: "2026-11-25 08:30:00.250", data: Data(0..<200), any: "true"),
    Part(5, text: "早餐 👩‍👩‍👧 \"\\\n\u{1B}", data: Data("[1]".utf8), any: false),
    Part(6, text: "123e4567-e89b-12d3-a456-426614174000", any: [:]),
  ]

  private let file: TemporaryFile

  init() throws { file = try TemporaryFile() }

  private func open(_ name: String = "app.db", key: SymmetricKey? = nil) async throws -> StoreFile {
    try await StoreFile.open(
      at: file.folder.appendingPathComponent(name), Maker.self, Part.self, options: .init(key: key))
  }

  /// Bug: a file did not say what its values were, so that the text `[1]` was exported as an array, 16 bytes as the text of
  /// a UUID, a text with a null character in base 64, and a Bool as a number: what importJSON refused, or took for other
  /// values.
  @Test(arguments: [nil, SymmetricKey(size: .bits256)])
  func
    `what is exported of values of all kinds is what exportJSON writes, and importJSON reads the same values`(
      key: SymmetricKey?
    ) async throws
  {
    let store = try await open(key: key)
    try await store.write { tx in
      try tx.insert(contentsOf: [Maker(id: 1), Maker(id: 2)])
      try tx.insert(contentsOf: Self.parts)
    }
    let (written, exported) = (
      file.folder.appendingPathComponent("written"), file.folder.appendingPathComponent("exported")
    )
    try await store.exportJSON(to: written)
    try await store.close()
    let result = try await ToolProcess.run("export", file.url.path, exported.path, key: key?.hexadecimal)
    #expect(result.status == 0 && result.error.isEmpty, "\(result)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: exported.path).sorted() == [
        "Maker.ndjson", "Part.ndjson",
      ])
    let copy = try await open("copy.db")
    #expect(try await copy.importJSON(from: exported) == 9)
    #expect(copy.store.fetch(Part.all).elementsEqual(Self.parts))
    try await copy.close()
    for name in ["Maker.ndjson", "Part.ndjson"] {
      // A null is left out.
      let lines = try String(contentsOf: written.appendingPathComponent(name), encoding: .utf8)
      let others = try String(contentsOf: exported.appendingPathComponent(name), encoding: .utf8)
      #expect(try Self.objects(others) == Self.objects(lines))
    }
  }

  @Test(arguments: [nil, SymmetricKey(size: .bits256)])
  func `kinds follow their columns through migrations, compaction, changes of the key and repair`(
    key: SymmetricKey?
  ) async throws {
    let (data, mark) = (Data(0..<16), Data(repeating: 7, count: 16))
    let before = try await StoreFile.open(at: file.url, Before.Item.self, options: .init(key: key))
    try await before.write { tx in
      for id in 0..<4 {
        try tx.insert(
          Before.Item(
            id: id, flag: id == 1, isCounted: id == 2, note: "[\(id)]", bytes: data, gone: "Cake"))
      }
    }
    try await before.close()
    let migrations: [Migration] = [
      Migration(from: 1, to: 2) { _, tx in
        try tx.update("Item") { row in
          try row.set("isCounted", to: row.value("isCounted", as: Bool.self) ? 1 : 0)
        }
      },
      .renamed("flag", to: "isOpen", in: After.Item.self),
      .added("mark", to: After.Item.self, default: mark),
    ]
    var items = (0..<4).map { id in
      After.Item(
        id: id, isOpen: id == 1, isCounted: id == 2 ? 1 : 0, note: "[\(id)]", bytes: data, mark: mark)
    }
    items[3].tags = ["[1]"]
    let after = try await StoreFile.open(
      at: file.url, After.Item.self, options: .init(key: key, migrations: migrations))
    try await after.write { tx in try tx.update(After.Item.self, 3) { $0.tags = ["[1]"] } }
    try await expectExport(of: items, key)
    try await after.compact()
    try await expectExport(of: items, key)
    let other = key == nil ? SymmetricKey(size: .bits256) : nil
    try await after.changeKey(to: other)
    try await expectExport(of: items, other)
    try await after.changeKey(to: nil)
    try await after.close()
    var bytes = try Data(contentsOf: file.url)
    let place = try #require(bytes.range(of: Data("[2]".utf8)))
    bytes[place.lowerBound] = 0x42
    try bytes.write(to: file.url)
    let repaired = try await StoreFile.open(
      at: file.url, After.Item.self, options: .init(migrations: migrations, repair: .skipDamagedRows))
    #expect(repaired.store.count(After.Item.all) == 3)
    items.remove(at: 2)
    try await expectExport(of: items, nil)
    try await repaired.close()
  }

  private func expectExport(
    of items: [After.Item], _ key: SymmetricKey?, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let folder = file.folder.appendingPathComponent("\(UUID())")
    let result = try await ToolProcess.run("export", file.url.path, folder.path, key: key?.hexadecimal)
    #expect(result.status == 0, "\(result)", sourceLocation: sourceLocation)
    let copy = try await StoreFile.open(at: folder.appendingPathComponent("copy.db"), After.Item.self)
    try await copy.importJSON(from: folder)
    #expect(Array(copy.store.fetch(After.Item.all)) == items, sourceLocation: sourceLocation)
    try await copy.close()
  }

  private static func objects(_ lines: String) throws -> [JSONValue] {
    try lines.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
  }
}
