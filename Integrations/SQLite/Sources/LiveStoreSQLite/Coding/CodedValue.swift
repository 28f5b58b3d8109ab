import Foundation
import LiveStore

/// What a property is encoded as: a value that a column stores as it is, or an array or object, which a column stores as
/// JSON text.
enum CodedValue: Sendable {
  case column(ColumnValue)
  case bool(Bool)
  case uuid(UUID)
  case array([CodedValue])
  /// Of equal keys, the last counts.
  case object([(key: String, value: CodedValue)])
  /// A value that is JSON whatever its form.
  case json(JSONValue)

  /// How many levels of arrays and objects a value may have: those that JSON text is read with, and one for the object
  /// that an exported line is.
  static let maximumDepth = 511

  /// Whether there are more levels of arrays and objects than a number.
  func isDeeper(than levels: Int) -> Bool {
    switch self {
    case .column, .bool, .uuid: false
    case .array(let elements): levels == 0 || elements.contains { $0.isDeeper(than: levels - 1) }
    case .object(let members): levels == 0 || members.contains { $0.value.isDeeper(than: levels - 1) }
    case .json(let value): Self.isDeeper(value, than: levels)
    }
  }

  /// Whether some object has a key that is not read.
  var hasUnreadableKey: Bool {
    switch self {
    case .column, .bool, .uuid, .json: false
    case .array(let elements): elements.contains(where: \.hasUnreadableKey)
    case .object(let members): members.contains { $0.key.hasManyMarks || $0.value.hasUnreadableKey }
    }
  }

  /// Whether it is an array with a text that is not read as an element of a set.
  var hasUnreadableElement: Bool {
    guard case .array(let elements) = self else { return false }
    return elements.contains { element in
      switch element {
      case .column(.text(let text)), .json(.string(let text)): text.hasManyMarks
      default: false
      }
    }
  }

  private static func isDeeper(_ value: JSONValue, than levels: Int) -> Bool {
    switch value {
    case .null, .bool, .number, .string: false
    case .array(let elements): levels == 0 || elements.contains { isDeeper($0, than: levels - 1) }
    case .object(let members): levels == 0 || members.contains { isDeeper($0.value, than: levels - 1) }
    }
  }

  /// The value of a column.
  var column: ColumnValue {
    switch self {
    // SQLite's tools would cut off such a text.
    case .column(.text(let text)) where text.utf8.contains(0): .blob(MarkedBytes.json(json))
    case .column(.blob(let bytes)): .blob(MarkedBytes.bytes(bytes))
    case .column(let value): value
    case .bool(let value): .integer(value ? 1 : 0)
    case .uuid(let value): .blob(withUnsafeBytes(of: value.uuid) { MarkedBytes.bytes($0) })
    case .array, .object, .json: .text("\(json)")
    }
  }

  /// The value within JSON text. The keys of objects are sorted, so that equal values have equal texts.
  var json: JSONValue {
    switch self {
    case .bool(let value): .bool(value)
    case .uuid(let value): .string(value.uuidString)
    case .json(let value): value
    case .array(let elements): .array(elements.map(\.json))
    case .object(let members):
      .object(JSONObject(members.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value.json) }))
    case .column(.null): .null
    case .column(.integer(let value)): JSONValue(value)
    // Not every reader of JSON keeps the sign of a zero.
    case .column(.real(let value)) where !value.isFinite || value == 0 && value.sign == .minus:
      .string("\(value)")
    case .column(.real(let value)): JSONValue(value)
    case .column(.text(let value)): .string(value)
    case .column(.blob(let bytes)): .string(Data(bytes).base64EncodedString())
    }
  }
}
