import Foundation
import LiveStorePostgreSQL

/// A value of a column.
enum SimulatedValue: Equatable {
  case null, unchanged
  case text(String)
  case int8(Int64)
  case int4(Int32)
  case uuid(UUID)

  /// The value in the text form of the server.
  var text: String {
    switch self {
    case .null, .unchanged: ""
    case .text(let text): text
    case .int8(let number): "\(number)"
    case .int4(let number): "\(number)"
    case .uuid(let uuid): uuid.uuidString.lowercased()
    }
  }

  /// The value as a literal of SQL.
  var literal: String { self == .null ? "NULL" : "'\(text.replacing("'", with: "''"))'" }

  /// The bytes of the value in a form.
  func bytes(isBinary: Bool) -> [UInt8] {
    guard isBinary else { return Array(text.utf8) }
    return switch self {
    case .int8(let number): withUnsafeBytes(of: number.bigEndian) { Array($0) }
    case .int4(let number): withUnsafeBytes(of: number.bigEndian) { Array($0) }
    case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { Array($0) }
    default: Array(text.utf8)
    }
  }
}

/// How a simulated table is defined for a while.
struct SimulatedShape: Equatable, Sendable {
  let table: SimulatedTable
  /// As in `pg_class`: `d` for the key, `i` for an index of the count and the id, `f` for all columns.
  var identity: Character
  /// Whether it has a column that no entity reads before the others, which can be dropped.
  var hasFirst: Bool
  /// Whether it has such a column, of nulls, after the others, which can be dropped and added.
  var hasLast: Bool

  private typealias Column = (name: String, type: UInt32)

  private var columns: [Column] {
    let id: UInt32 =
      switch table {
      case .numbers: 20
      case .words: 25
      case .tokens: 2950
      }
    return (hasFirst ? [("first", 25)] : []) + [("id", id), ("title", 25), ("body", 25), ("count", 23)]
      + (hasLast ? [("last", 25)] : [])
  }

  private func isKey(_ column: String) -> Bool {
    identity == "f" || column == "id" || identity == "i" && column == "count"
  }

  var columnCount: Int { columns.count }

  /// What describes the table in the stream.
  var relation: RelationMessage {
    RelationMessage(
      id: table.relation, namespace: "public", name: table.name,
      replicaIdentity: identity.asciiValue ?? 0,
      columns: columns.map {
        RelationMessage.Column(name: $0.name, isKey: isKey($0.name), typeID: $0.type, modifier: -1)
      })
  }

  /// The message that describes the table.
  ///
  /// - Parameter xid: the number of the (sub)transaction, in a stream.
  func description(_ xid: UInt32?) -> MessageWriter {
    var message = MessageWriter("R")
    if let xid { message.add(xid) }
    message.add(table.relation)
    message.add("public")
    message.add(table.name)
    message.add(identity)
    message.add(Int16(columns.count))
    for column in columns {
      message.add(UInt8(isKey(column.name) ? 1 : 0))
      message.add(column.name)
      message.add(column.type)
      message.add(Int32(-1))
    }
    return message
  }

  /// The values of a row.
  func values(_ key: Int, _ row: SimulatedRow) -> [SimulatedValue] {
    (hasFirst ? [.text("x")] : [])
      + [table.id(key), .text(row.title), row.body.map { .text($0) } ?? .null, .int4(Int32(row.count))]
      + (hasLast ? [.null] : [])
  }

  /// The values of a row that the server sends of a row before a change.
  func oldValues(_ key: Int, _ row: SimulatedRow) -> [SimulatedValue] {
    zip(columns, values(key, row)).map { isKey($0.name) ? $1 : .null }
  }

  /// The values of a row after a change that has left its body as it is.
  func newValues(_ key: Int, _ row: SimulatedRow) -> [SimulatedValue] {
    zip(columns, values(key, row)).map { $0.name == "body" ? .unchanged : $1 }
  }
}

/// The bytes of a message.
struct MessageWriter {
  private(set) var bytes: [UInt8]

  init(_ kind: Unicode.Scalar) { bytes = [UInt8(ascii: kind)] }

  mutating func add(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func add(_ character: Character) { bytes.append(contentsOf: String(character).utf8) }

  /// A text that ends with a null character.
  mutating func add(_ text: String) {
    bytes.append(contentsOf: text.utf8)
    bytes.append(0)
  }

  /// A row.
  mutating func add(_ values: [SimulatedValue], isBinary: Bool) {
    add(Int16(values.count))
    for value in values {
      switch value {
      case .null: add("n" as Character)
      case .unchanged: add("u" as Character)
      default:
        let field = value.bytes(isBinary: isBinary)
        add((isBinary ? "b" : "t") as Character)
        add(Int32(field.count))
        bytes += field
      }
    }
  }
}
