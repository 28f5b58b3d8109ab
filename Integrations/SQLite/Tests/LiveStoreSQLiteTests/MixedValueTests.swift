import Crypto
import Foundation
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

/// A value of any of several types, tried one by one, as they come from a service.
private enum Mixed: Codable, Hashable, Sendable {
  case bool(Bool)
  case int(Int)
  case double(Double)
  case string(String)
  case array([Mixed])
  case object([String: Mixed])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .int(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode([Mixed].self) {
      self = .array(value)
    } else if let value = try? container.decode([String: Mixed].self) {
      self = .object(value)
    } else {
      self = .string(try container.decode(String.self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}

/// Bytes, an id, a text or a list, tried in one of several orders.
private struct Payload<Order: TryOrder>: Codable, Hashable, Sendable {
  let value: PayloadValue

  init(_ value: PayloadValue) { self.value = value }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    for type in Order.types {
      let value: PayloadValue? =
        switch type {
        case 0: (try? container.decode(UUID.self)).map { .id($0) }
        case 1: (try? container.decode(Data.self)).map { .data($0) }
        case 2: (try? container.decode(String.self)).map { .text($0) }
        default: (try? container.decode([String].self)).map { .list($0) }
        }
      if let value {
        self.value = value
        return
      }
    }
    throw DecodingError.dataCorruptedError(in: container, debugDescription: "none of the types")
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch value {
    case .id(let value): try container.encode(value)
    case .data(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .list(let value): try container.encode(value)
    }
  }
}

private enum PayloadValue: Hashable, Sendable {
  case id(UUID)
  case data(Data)
  case text(String)
  case list([String])
}

/// In which order the types are tried: ids, data, texts, lists.
private protocol TryOrder: Hashable, Sendable { static var types: [Int] { get } }

private enum Forward: TryOrder { static let types = [0, 1, 2, 3] }
private enum Backward: TryOrder { static let types = [3, 2, 1, 0] }
private enum DataFirst: TryOrder { static let types = [1, 0, 3, 2] }
private enum TextFirst: TryOrder { static let types = [2, 3, 0, 1] }

private struct Message<Order: TryOrder>: Entity, Codable, Equatable {
  let id: Int
  var payload: Payload<Order>
  static var schema: Schema<Message> { Schema<Message> { \.payload } }
}

private struct Reading: Entity, Codable, Equatable {
  let id: Int
  var value: Mixed
  var other: Mixed?
  static let schema = Schema<Reading> {
    \.value
    \.other
  }
}

/// What `Reading` was: its column has Booleans, and gets numbers later.
private enum Former {
  struct Reading: Entity, Codable {
    let id: Int
    var value: Bool
    static let schema = Schema<Reading> { \.value }
  }
}

private enum Identified {
  struct Reading: Entity, Codable {
    let id: Int
    var value: UUID
    static let schema = Schema<Reading> { \.value }
  }
}

private enum Later {
  struct Reading: Entity, Codable {
    let id: Int
    var value: Int
    static let schema = Schema<Reading> { \.value }
  }
}

/// Asks whether there is a value before it reads it.
private enum Asking {
  struct Reading: Entity, Codable {
    let id: Int
    var value: Int
    var other: Mixed
    static let schema = Schema<Reading> {
      \.value
      \.other
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(Int.self, forKey: .id)
      value = try container.decode(Int.self, forKey: .value)
      let isNil = try !container.contains(.other) || container.decodeNil(forKey: .other)
      other = try container.decode(Mixed.self, forKey: .other)
      if isNil, case .object = other { throw CancellationError() }
    }
  }
}

/// What encodes itself as nil, without being an optional, and a nil that is encoded.
private enum Maybe: Codable, Hashable, Sendable {
  case nothing
  case number(Int)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self = container.decodeNil() ? .nothing : .number(try container.decode(Int.self))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .nothing: try container.encodeNil()
    case .number(let value): try container.encode(value)
    }
  }
}

private enum Nils {
  struct Reading: Entity, Codable, Equatable {
    let id: Int
    var value: Int
    var other: Maybe
    var note: String?
    var json: JSONValue
    static let schema = Schema<Reading> {
      \.value
      \.other
      \.note
      \.json
    }

    enum CodingKeys: CodingKey { case id, value, other, note, json }

    init(id: Int, other: Maybe, note: String?, json: JSONValue) {
      (self.id, value, self.other, self.note, self.json) = (id, 0, other, note, json)
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(Int.self, forKey: .id)
      value = try container.decode(Int.self, forKey: .value)
      other = try container.decode(Maybe.self, forKey: .other)
      note = container.contains(.note) ? try container.decode(String.self, forKey: .note) : nil
      json = try container.decode(JSONValue.self, forKey: .json)
      let isNil = try container.decodeNil(forKey: .other)
      if isNil, case .number = other, value == 0 { throw CancellationError() }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(id, forKey: .id)
      try container.encode(value, forKey: .value)
      try container.encode(other, forKey: .other)
      try container.encode(note, forKey: .note)
      try container.encode(json, forKey: .json)
    }
  }
}

/// An id that is written as a text of its own form.
private struct LowercaseID: Codable, Hashable, Sendable {
  let id: UUID
  init(_ id: UUID) { self.id = id }
  init(from decoder: any Decoder) throws { id = try decoder.singleValueContainer().decode(UUID.self) }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(id.uuidString.lowercased())
  }
}

/// Its data are written as Base64.
private struct Session: Entity, Codable, Equatable {
  let id: Int
  var user: LowercaseID
  var secret: Data
  static let schema = Schema<Session> {
    \.user
    \.secret
  }

  enum CodingKeys: CodingKey { case id, user, secret }

  init(id: Int, user: UUID, secret: Data) { (self.id, self.user, self.secret) = (id, .init(user), secret) }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(Int.self, forKey: .id)
    user = try container.decode(LowercaseID.self, forKey: .user)
    secret = try container.decode(Data.self, forKey: .secret)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(user, forKey: .user)
    try container.encode(secret.base64EncodedString(), forKey: .secret)
  }
}

private struct Price: Entity, Codable, Equatable {
  let id: Int
  var value: Value
  static let schema = Schema<Price> { \.value }

  enum Value: Codable, Hashable, Sendable {
    case decimal(Decimal)
    case string(String)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let value = try? container.decode(Decimal.self) {
        self = .decimal(value)
      } else {
        self = .string(try container.decode(String.self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .decimal(let value): try container.encode(value)
      case .string(let value): try container.encode(value)
      }
    }
  }
}

@Suite struct `Values of several types in a column` {
  private static let values: [Mixed] = [
    .bool(true), .bool(false), .int(1), .int(0), .int(-7), .int(.max), .double(0.5), .double(-1e300),
    .string("02134"), .string("7"), .string("true"), .string("null"), .string(""), .string("\"quoted\""),
    .string("[1]"), .string("{}"), .string("{\"a\": 1}"), .string("a\u{0}b"), .string("1\u{0}"),
    .string("1e3"),
    .array([]), .array([.bool(true), .int(1), .string("[]"), .double(0.5)]), .object([:]),
    .object(["a": .array([.string("1")]), "b": .bool(false)]),
  ]

  private func read(_ folder: Folder, _ key: SymmetricKey?) async throws -> [Reading] {
    let file = try await StoreFile.open(at: folder.file, Reading.self, options: .init(key: key))
    let objects = Array(file.store.fetch(Reading.all))
    try await file.close()
    return objects
  }

  /// Whichever value a column gets first.
  @Test(arguments: Self.values.indices, [false, true])
  func `a value is read as the case that it was written as, whichever the column got first`(
    first: Int, isEncrypted: Bool
  ) async throws {
    let folder = try Folder()
    let key = isEncrypted ? SymmetricKey(size: .bits256) : nil
    var values = Self.values
    values.insert(values.remove(at: first), at: 0)
    let objects = values.enumerated().map {
      Reading(id: $0, value: $1, other: $0 % 3 == 0 ? nil : values[$0 - 1])
    }
    let file = try await StoreFile.open(at: folder.file, Reading.self, options: .init(key: key))
    // One commit for some of them, so that a column has them when the others come.
    try await file.write { tx in try tx.insert(objects[0]) }
    try await file.write { tx in try tx.insert(contentsOf: objects[1...]) }
    try await file.close()
    #expect(try await read(folder, key) == objects)

    // Values change their places, and are read, exported and imported as before.
    let again = try await StoreFile.open(at: folder.file, Reading.self, options: .init(key: key))
    let turned = objects.map { Reading(id: $0.id, value: values[values.count - 1 - $0.id], other: $0.value) }
    try await again.write { tx in for object in turned { try tx.upsert(object) } }
    try await again.exportJSON(to: folder.url)
    try await again.close()
    #expect(try await read(folder, key) == turned)
    let imported = try Folder(within: folder, "imported")
    let new = try await StoreFile.open(at: imported.file, Reading.self)
    _ = try await new.importJSON(from: folder.url)
    #expect(Array(new.store.fetch(Reading.all)) == turned)
    try await new.close()

    // Without its types.
    let reader = try FileReader(folder.file, key: key)
    var lines: [JSONValue] = []
    try reader.read { version in
      try version.forEach("Reading") { row in
        lines.append(row.value("value") ?? .null)
        return true
      }
    }
    let expected = try turned.map {
      try JSONValue(parsing: String(decoding: JSONEncoder().encode($0.value), as: UTF8.self))
    }
    #expect(lines == expected)
  }

  private static let payloads: [[PayloadValue]] = [
    [
      .id(UUID()), .id(UUID(uuidString: "FF4A534F-4E31-3233-3435-363738393031") ?? UUID()),
      .id(UUID(uuidString: "41424344-4546-4748-494A-4B4C4D4E4F50") ?? UUID()),
    ],
    [
      .data(Data(0..<16)), .data(Data("[\"a\"]".utf8)), .data(Data("42".utf8)),
      .data(Data([0x22, 0xFF, 0x22])),
      .data(Data("hello".utf8)), .data(Data([0xFF] + "JSON5".utf8)), .data(Data()),
      .data(Data([0xFF] + "JSON.1234567890".utf8)),
    ],
    [
      .text("word"), .text("B65EBFC4-C2B9-4A2E-A2E2-2E3A4F2F8F4B"), .text("[\"a\"]"), .text(""), .text("42"),
    ],
    [.list([]), .list(["a"]), .list(["\u{0}"])],
  ]

  private func check<Order: TryOrder>(_ type: Order.Type, _ kinds: [Int]) async throws {
    let folder = try Folder()
    // The first kind comes again behind those that are stored in another way because of it.
    let values = (kinds + [kinds[0]]).flatMap { Self.payloads[$0] }
    let objects = values.enumerated().map { Message<Order>(id: $0, payload: Payload($1)) }
    let file = try await StoreFile.open(at: folder.file, Message<Order>.self)
    try await file.write { tx in try tx.insert(contentsOf: objects) }
    try await file.close()
    let again = try await StoreFile.open(at: folder.file, Message<Order>.self)
    for (read, object) in zip(again.store.fetch(Message<Order>.all), objects) {
      #expect(read == object, "\(Order.self), \(kinds)")
    }
    try await again.close()
  }

  /// Kinds that are stored alike, an id beside data or a list beside a text, are texts in JSON. So of each pair, only the
  /// order of a type that tries the one that is no text first is certain.
  @Test(arguments: [[0], [1], [2], [3], [0, 2], [2, 0], [1, 2], [2, 1], [0, 3], [1, 3], [3, 1]])
  func `ids, data, texts and lists are read as they were written, in whichever order they are tried`(
    kinds: [Int]
  )
    async throws
  {
    try await check(Forward.self, kinds)
    try await check(Backward.self, kinds)
    try await check(DataFirst.self, kinds)
    try await check(TextFirst.self, kinds)
  }

  @Test(arguments: [[0, 1], [1, 0], [2, 3], [3, 2], [0, 1, 3], [1, 3, 0]])
  func `an id is told from data, and a text from a list, where the type tries the stricter first`(
    kinds: [Int]
  )
    async throws
  {
    if kinds.contains(2) {
      try await check(Backward.self, kinds)
    } else {
      try await check(Forward.self, kinds)
    }
  }

  @Test func `a property that had Booleans can have numbers, and then values of several types`() async throws
  {
    let folder = try Folder()
    let former = try await StoreFile.open(at: folder.file, Former.Reading.self)
    try await former.write { tx in for id in 0..<2 { try tx.insert(Former.Reading(id: id, value: id == 1)) } }
    try await former.close()
    let later = try await StoreFile.open(at: folder.file, Later.Reading.self)
    try await later.write { tx in try tx.insert(Later.Reading(id: 2, value: 1)) }
    #expect(later.store.fetch(Later.Reading.all).map(\.value) == [0, 1, 1])
    try await later.close()
    let again = try await StoreFile.open(at: folder.file, Later.Reading.self)
    #expect(again.store.fetch(Later.Reading.all).map(\.value) == [0, 1, 1])
    try await again.close()
    let values = try await read(folder, nil).map(\.value)
    #expect(values == [.bool(false), .bool(true), .int(1)])
  }

  @Test func `a step of a migration reads values of several types, and can change their type`() async throws {
    let folder = try Folder()
    let values: [Mixed] = [.string("[1]"), .array([.int(1)]), .int(1), .bool(true), .string("1")]
    let file = try await StoreFile.open(at: folder.file, Reading.self)
    try await file.write { tx in
      for (id, value) in values.enumerated() { try tx.insert(Reading(id: id, value: value)) }
    }
    try await file.close()
    let step = Migration(from: 1, to: 2) { old, tx in
      try tx.update("Reading") { row in
        let value = try row.value("value", as: Mixed.self)
        try row.set("other", to: value)
        if value == .int(1) { try row.set("value", to: Mixed.array([value, .string("[1]")])) }
      }
    }
    let options = StoreFile.Options(migrations: [step])
    let migrated = try await StoreFile.open(at: folder.file, Reading.self, options: options)
    let objects = Array(migrated.store.fetch(Reading.all))
    try await migrated.close()
    #expect(objects.map(\.other) == values)
    #expect(objects[1].value == values[1] && objects[2].value == .array([.int(1), .string("[1]")]))
    #expect(objects[3].value == values[3] && objects[4].value == values[4])
  }

  @Test func `a text that is no number is not read as one`() async throws {
    let folder = try Folder()
    let values: [Price.Value] = [
      .string("3 rooms"), .string("02134"), .string(" 5"), .string("+5"), .string("5."), .string(""),
      .decimal(Decimal(string: "12.50") ?? 0), .decimal(-7), .decimal(.greatestFiniteMagnitude),
      .decimal(.leastNonzeroMagnitude), .string("inf"),
    ]
    let objects = values.enumerated().map { Price(id: $0, value: $1) }
    let file = try await StoreFile.open(at: folder.file, Price.self)
    try await file.write { tx in try tx.insert(contentsOf: objects) }
    try await file.close()
    let again = try await StoreFile.open(at: folder.file, Price.self)
    #expect(Array(again.store.fetch(Price.all)) == objects)
    try await again.close()
  }

  @Test func `the default of a property that was added keeps its kind, and is contained`() async throws {
    for value in [Mixed.int(1), .bool(true), .string("[1]"), .string("1"), .array([.int(1)])] {
      let folder = try Folder()
      try await StoreFile.open(at: folder.file, Later.Reading.self).close()
      let added = Migration.added("other", to: Asking.Reading.self, default: value)
      // The table is empty then, and an older app writes.
      try await StoreFile.open(at: folder.file, Asking.Reading.self, options: .init(migrations: [added]))
        .close()
      let older = try await StoreFile.open(at: folder.file, Later.Reading.self)
      try await older.write { tx in try tx.insert(Later.Reading(id: 1, value: 1)) }
      try await older.close()
      let newer = try await StoreFile.open(
        at: folder.file, Asking.Reading.self, options: .init(migrations: [added]))
      #expect(newer.store.fetch(Asking.Reading.all).map(\.other) == [value])
      try await newer.close()
    }
  }

  @Test(arguments: [false, true])
  func `a nil that was written has no default, and a missing value has it`(isEncrypted: Bool) async throws {
    let folder = try Folder()
    let key = isEncrypted ? SymmetricKey(size: .bits256) : nil
    let older = try await StoreFile.open(at: folder.file, Later.Reading.self, options: .init(key: key))
    try await older.write { tx in try tx.insert(Later.Reading(id: 0, value: 1)) }
    try await older.close()
    let options = StoreFile.Options(
      key: key,
      migrations: [
        .added("other", to: Nils.Reading.self, default: Maybe.number(1)),
        .added("note", to: Nils.Reading.self, default: "a note"),
        .added("json", to: Nils.Reading.self, default: JSONValue.string("a text")),
      ])
    let written = [
      Nils.Reading(id: 1, other: .nothing, note: nil, json: .null),
      Nils.Reading(id: 2, other: .number(2), note: "two", json: "two"),
      Nils.Reading(id: 3, other: .nothing, note: nil, json: .null),
    ]
    let file = try await StoreFile.open(at: folder.file, Nils.Reading.self, options: options)
    try await file.write { tx in try tx.insert(contentsOf: written) }
    let added = file.store[Nils.Reading.self, 0]
    #expect(added?.other == .number(1) && added?.note == "a note" && added?.json == "a text")
    try await file.close()
    let again = try await StoreFile.open(at: folder.file, Nils.Reading.self, options: options)
    #expect(Array(again.store.fetch(Nils.Reading.all).dropFirst()) == written)
    try await again.close()
    let reader = try FileReader(folder.file, key: key)
    var nils = 0
    try reader.read { version in
      try version.forEach("Reading") { row in
        if row.value("other") ?? .null == .null, row.value("note") ?? .null == .null { nils += 1 }
        return true
      }
    }
    #expect(nils == 2)
  }

  @Test func `an id and data that a type writes as texts are read by it`() async throws {
    let folder = try Folder()
    let sessions = (1...3).map { Session(id: $0, user: UUID(), secret: Data([UInt8($0), 0xFF, 0])) }
    let file = try await StoreFile.open(at: folder.file, Session.self)
    try await file.write { tx in try tx.insert(contentsOf: sessions) }
    try await file.close()
    let step = Migration(from: 1, to: 2) { old, tx in
      try tx.update("Session") { row in
        let id = try row.value("user", as: UUID.self)
        try row.set("user", to: LowercaseID(id))
        #expect(throws: StoreFileError.self) { try row.value("user", as: [String].self) }
      }
    }
    for options in [StoreFile.Options(), .init(migrations: [step])] {
      let again = try await StoreFile.open(at: folder.file, Session.self, options: options)
      #expect(Array(again.store.fetch(Session.all)) == sessions)
      try await again.close()
    }
  }

  @Test func `JSON in bytes is not taken for an id`() async throws {
    let folder = try Folder()
    let file = try await StoreFile.open(at: folder.file, Reading.self)
    try await file.write { tx in
      try tx.insert(Reading(id: 1, value: .array([])))
      // With the mark and its quotation marks it has 16 bytes.
      try tx.insert(Reading(id: 2, value: .string("abcdefghi")))
    }
    try await file.close()
    let step = Migration(from: 1, to: 2) { old, tx in
      try tx.update("Reading") { row in if row.number == 1 { try row.set("value", to: UUID()) } }
    }
    let error = await #expect(throws: StoreFileError.self) {
      try await StoreFile.open(
        at: folder.file, Identified.Reading.self, options: .init(migrations: [step]))
    }
    #expect(error?.code == .mismatch && error?.row == 2)
  }

  @Test func `a step that puts another row in the place of one is refused`() async throws {
    let folder = try Folder()
    let file = try await StoreFile.open(at: folder.file, Later.Reading.self)
    try await file.write { tx in for id in 1...2 { try tx.insert(Later.Reading(id: id, value: id)) } }
    try await file.close()
    let step = Migration(from: 1, to: 2) { old, tx in
      var first: MigrationRow?
      try tx.update("Reading") { row in
        if let first { row = first } else { first = row }
      }
    }
    let error = await #expect(throws: StoreFileError.self) {
      try await StoreFile.open(at: folder.file, Later.Reading.self, options: .init(migrations: [step]))
    }
    #expect(error?.code == .invalidMigration && error?.row == 2)
  }
}
