package import LiveStore
import LiveStoreSQLite

/// Rows of comma-separated values, as in RFC 4180 with a newline after each: nothing for a missing value, `""` for an
/// empty text, JSON for arrays and objects. A line without anything is no row for many readers: a value that is missing is
/// `""` where it is the only one.
package enum SeparatedValues {
  package static func row(_ values: [JSONValue?]) -> String {
    let row = values.map(field).joined(separator: ",")
    return row.isEmpty && values.count == 1 ? field("") : row
  }

  private static func field(_ value: JSONValue?) -> String {
    switch value {
    case nil, .null?: ""
    case .string(let text)?: field(text)
    case let value?: field("\(value)")
    }
  }

  private static func field(_ text: String) -> String {
    let isPlain = !text.isEmpty && !text.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
    return isPlain ? text : LiveStoreSQLite.Quoting.quoted(text, by: "\"")
  }
}
