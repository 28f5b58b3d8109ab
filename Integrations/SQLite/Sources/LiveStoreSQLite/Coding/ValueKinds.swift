/// What kinds of values have been written to a column, as far as the values of a column do not say it: SQLite has no
/// Booleans, a text may be JSON, and bytes may be an id, data, or a text with a null character.
///
/// The file has them for each column, so that it can be read without its types. A kind that was written once stays, so
/// where there is one kind, all values are of it (X8).
struct ValueKinds: OptionSet, Hashable, Sendable {
  let rawValue: Int

  static let number = ValueKinds(rawValue: 1)
  static let bool = ValueKinds(rawValue: 2)
  static let text = ValueKinds(rawValue: 4)
  static let json = ValueKinds(rawValue: 8)
  static let uuid = ValueKinds(rawValue: 16)
  static let data = ValueKinds(rawValue: 32)

  /// Of a column of which nothing is known.
  static let all: ValueKinds = [.number, .bool, .text, .json, .uuid, .data]
}

extension CodedValue {
  /// The kind of the value; none if it is null.
  var kinds: ValueKinds {
    switch self {
    case .column(.null): []
    case .column(.integer), .column(.real): .number
    case .column(.text): .text
    case .column(.blob): .data
    case .bool: .bool
    case .uuid: .uuid
    case .array, .object, .json: .json
    }
  }
}
