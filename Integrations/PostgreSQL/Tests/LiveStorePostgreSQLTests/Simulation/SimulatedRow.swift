import Foundation
import LiveStore
import LiveStorePostgreSQL

/// What a row of a simulated table has besides its key, which is a small number whatever type the id has.
struct SimulatedRow: Equatable, Sendable {
  var title: String
  /// May be large, so that the server stores it out of line.
  var body: String?
  var count: Int

  /// Whether the body is stored out of line.
  var isLarge: Bool { (body?.utf8.count ?? 0) > 100 }

  /// Whether no entity can hold it: its count is none of `Int8`, or its body is none of ``SimulatedBody``.
  var isRefused: Bool { Int8(exactly: count) == nil || body.map { SimulatedBody(text: $0) == nil } ?? false }
}

/// A text that does not begin with an exclamation mark.
struct SimulatedBody: Codable, Equatable, Sendable {
  let text: String

  init?(text: String) {
    if text.utf8.first == UInt8(ascii: "!") { return nil }
    self.text = text
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let body = Self(text: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "It begins with a mark.")
    }
    self = body
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// What the simulated tables have: for each, its rows by their keys.
struct SimulatedContents: Equatable, Sendable, CustomStringConvertible {
  var tables: [[Int: SimulatedRow]] = Array(repeating: [:], count: SimulatedTable.allCases.count)

  init() {}

  /// Reads a version of a store.
  init(of snapshot: Snapshot) {
    func rows<Entity: SimulatedEntity>(_ type: Entity.Type) -> [Int: SimulatedRow] {
      Dictionary(snapshot.fetch(type.all).map { ($0.key, $0.row) }, uniquingKeysWith: { first, _ in first })
    }
    tables = [rows(NumberedRow.self), rows(NamedRow.self), rows(TokenRow.self)]
  }

  /// Applies a commit of a store.
  mutating func apply(_ commit: Commit) {
    func apply<Entity: SimulatedEntity>(_ type: Entity.Type, _ rows: inout [Int: SimulatedRow]) {
      for difference in commit.changes(of: type) {
        if let key = difference.old?.key ?? difference.new?.key { rows[key] = difference.new?.row }
      }
    }
    apply(NumberedRow.self, &tables[0])
    apply(NamedRow.self, &tables[1])
    apply(TokenRow.self, &tables[2])
  }

  var description: String {
    tables.map { rows in
      rows.sorted { $0.key < $1.key }.map { key, row in
        "\(key): \(row.title.debugDescription) \(row.body?.prefix(8) ?? "-") \(row.count)"
      }.joined(separator: ", ")
    }.joined(separator: " | ")
  }
}

/// The simulated tables, which differ in the type of their id.
enum SimulatedTable: Int, CaseIterable, Sendable {
  case numbers, words, tokens

  var relation: UInt32 { 16_400 + UInt32(rawValue) }
  var name: String { "\(self)" }

  /// The value of the column `id`.
  func id(_ key: Int) -> SimulatedValue {
    switch self {
    case .numbers: .int8(Int64(key))
    case .words: .text(NamedRow.id(key))
    case .tokens: .uuid(TokenRow.id(key))
    }
  }

  /// What a replica follows.
  func followed(_ unreadable: UnreadableRows) throws -> any ReplicatedTable {
    let entity =
      switch self {
      case .numbers: Replicated(name, NumberedRow.self, unreadable: unreadable).replicated
      case .words: Replicated(name, NamedRow.self, unreadable: unreadable).replicated
      case .tokens: Replicated(name, TokenRow.self, unreadable: unreadable).replicated
      }
    guard let table = try entity.table() else { throw Missing() }
    return table
  }

  private struct Missing: Error {}
}

/// An entity of a simulated table.
protocol SimulatedEntity: Entity, Codable {
  var key: Int { get }
  var title: String { get }
  var body: SimulatedBody? { get }
  var count: Int8 { get }
}

extension SimulatedEntity {
  var row: SimulatedRow { SimulatedRow(title: title, body: body?.text, count: Int(count)) }
}

struct NumberedRow: SimulatedEntity {
  let id: Int
  var title: String
  var body: SimulatedBody?
  var count: Int8
  static let schema = Schema<NumberedRow> {
    \.title
    \.body
    \.count
  }
  var key: Int { id }
}

struct NamedRow: SimulatedEntity {
  let id: String
  var title: String
  var body: SimulatedBody?
  var count: Int8
  static let schema = Schema<NamedRow> {
    \.title
    \.body
    \.count
  }
  var key: Int { Int(id.utf8.count) - Self.id(0).utf8.count }

  /// With all that a copy writes with a backslash.
  static func id(_ key: Int) -> String { "tab\t back\\N é" + String(repeating: "\n", count: key) }
}

struct TokenRow: SimulatedEntity {
  let id: UUID
  var title: String
  var body: SimulatedBody?
  var count: Int8
  static let schema = Schema<TokenRow> {
    \.title
    \.body
    \.count
  }
  var key: Int { Int(id.uuid.15) }

  static func id(_ key: Int) -> UUID {
    UUID(uuid: (0xFE, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, UInt8(key)))
  }
}
