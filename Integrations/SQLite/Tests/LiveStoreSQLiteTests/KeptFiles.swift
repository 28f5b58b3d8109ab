import Crypto
import Foundation
import LiveStore
import LiveStoreSQLite

/// The files that are kept of each format, and the objects that they have: an object with a property of each kind, and one
/// in which all that may be is missing. What stands here is what was written then, and is not changed.
enum KeptFiles {
  enum Mood: String, Codable, Sendable { case calm, keen }

  enum Shape: Equatable, Codable, Sendable {
    case circle(radius: Double)
    case none
  }

  /// A value of several forms, which a column stores alike.
  enum Either: Equatable, Codable, Sendable {
    case flag(Bool)
    case number(Int)

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      self =
        if let flag = try? value.decode(Bool.self) { .flag(flag) } else {
          .number(try value.decode(Int.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
      var value = encoder.singleValueContainer()
      switch self {
      case .flag(let flag): try value.encode(flag)
      case .number(let number): try value.encode(number)
      }
    }
  }

  struct Address: Equatable, Codable, Sendable {
    var city: String
    var lines: [String]
    var since: Date?
  }

  struct Owner: Entity, Codable, Equatable {
    let id: UUID
    var name: String
    static let schema = Schema<Owner> { Property(\.name, .unique) }
  }

  struct Item: Entity, Codable, Equatable {
    let id: Int
    var title = ""
    var stars = -0.0
    var ratio: Float = 0
    var small: Int8 = 0
    var large: UInt64 = 0
    var isDone = false
    var mood = Mood.calm
    var shape = Shape.none
    var either = Either.flag(true)
    var address: Address?
    var due: Date?
    var data = Data()
    var token: UUID?
    var url: URL?
    var price: Decimal = 0
    var tags: [String] = []
    var counts: [String: Int] = [:]
    var json = JSONValue.null
    var owner: Ref<Owner>?
    var readers = RefList<Owner>()
    var followers = RefSet<Owner>()
    var roles = RefMap<Owner>()
    var scratch: Int?

    static let schema = Schema<Item> {
      \.title
      Property(\.stars, .indexed)
      \.ratio
      \.small
      \.large
      \.isDone
      \.mood
      \.shape
      \.either
      \.address
      \.due
      \.data
      \.token
      \.url
      \.price
      \.tags
      \.counts
      \.json
      Relation(\.owner)
      Relation(\.readers)
      Relation(\.followers)
      Relation(\.roles)
      Ignored(\.scratch)
    }
  }

  static let owners = [UUID(1), UUID(2)].enumerated().map {
    Owner(id: $1, name: ["Ann \"O'Hara\"", "Zoë"][$0])
  }

  static let items = [full, Item(id: 0)]

  private static let full: Item = {
    var item = Item(id: -1)
    item.title = "Tea\u{0}\n\u{1F375}"
    item.stars = .infinity
    item.ratio = 0.1
    item.small = -128
    item.large = .max
    item.isDone = true
    item.mood = .keen
    item.shape = .circle(radius: 2)
    item.either = .number(1)
    item.address = Address(city: "Köln", lines: ["a\n\"b\"", ""], since: Date(timeIntervalSince1970: 0.25))
    item.due = Date(timeIntervalSinceReferenceDate: 812_345_678.123)
    item.data = Data([0xFF] + Array("JSON".utf8) + [0, 1])
    item.token = UUID(3)
    item.url = URL(string: "https://example.org/a?b=c")
    item.price = Decimal(sign: .minus, exponent: -4, significand: 123_456_789)
    item.tags = ["x", "", "é"]
    item.counts = ["b": 2, "a": 1]
    item.json = ["n": 1, "yes": true, "list": [1.5, nil, "s"]]
    item.owner = Ref(owners[0].id)
    item.readers = [Ref(owners[1].id), Ref(owners[0].id)]
    item.followers = [Ref(owners[1].id)]
    item.roles["author"] = Ref(owners[0].id)
    item.scratch = 7
    return item
  }()

  /// The object that the version has which a log was cut off in.
  static let lost = Item(id: 1, title: "lost")

  static let key = SymmetricKey(data: Array<UInt8>(0..<32))

  /// Where the kept files are: a folder for each format, with a plain file, one with a key, and one with a log that was cut
  /// off in its last version.
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
    "Kept")

  /// Writes the files, to be kept.
  static func write(to folder: URL) async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, key) in [("plain", nil), ("sealed", key)] {
      let file = try await open(folder.appendingPathComponent("\(name).db"), key: key)
      try await write(to: file)
      try await file.close()
      try FileManager.default.removeItem(at: folder.appendingPathComponent("\(name).db-owner"))
    }
    let url = folder.appendingPathComponent("source.db")
    let file = try await open(url)
    try await write(to: file)
    try await file.write { tx in try tx.insert(lost) }
    for suffix in ["", "-wal"] {
      var bytes = try Data(contentsOf: URL(fileURLWithPath: url.path + suffix))
      if suffix == "-wal" { bytes.removeLast(100) }
      try bytes.write(to: folder.appendingPathComponent("log.db\(suffix)"))
    }
    try await file.close()
    try StoreFile.remove(at: url)
  }

  private static func write(to file: StoreFile) async throws {
    try await file.write { tx in try tx.insert(contentsOf: owners) }
    try await file.write { tx in
      try tx.insert(contentsOf: items)
      try tx.insert(Item(id: 99))
    }
    try await file.write { tx in try tx.delete(Item.self, 99) }
  }

  static func open(_ url: URL, key: SymmetricKey? = nil, isReadOnly: Bool = false) async throws -> StoreFile {
    try await StoreFile.open(
      at: url, Item.self, Owner.self, options: StoreFile.Options(key: key, isReadOnly: isReadOnly))
  }
}

extension UUID {
  fileprivate init(_ number: UInt8) {
    self.init(uuid: (number, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255))
  }
}
