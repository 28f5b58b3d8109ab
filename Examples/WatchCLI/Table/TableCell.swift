package import LiveStore

/// The text of a value in a table.
package struct TableCell: Hashable, Sendable {
  /// What is shown: strings as they are, other values as JSON, nothing for what is missing.
  package let text: String
  /// Whether it is a number; nil for what is missing or null.
  package let isNumber: Bool?

  /// The cell of a value; nil is a missing one.
  ///
  /// - Parameter limit: of longer texts the beginning is enough.
  package init(_ value: JSONValue?, limit: Int = .max) {
    switch value {
    case nil: (text, isNumber) = ("", nil)
    case .null: (text, isNumber) = ("null", nil)
    case .number(let number): (text, isNumber) = (number.description, true)
    case .string(let string): (text, isNumber) = (Self.line(String(string.prefix(limit))), false)
    case .some(let value): (text, isNumber) = (Self.line(String(value.description.prefix(limit))), false)
    }
  }

  /// The text on one line, without what a terminal would obey.
  package static func line(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 }) else { return text.escapingInvisibles }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result.escapingInvisibles
  }
}
