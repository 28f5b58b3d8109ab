import LiveStore

/// Rows of values with separators: CSV as in RFC 4180, with a newline after each row, or TSV with escapes.
///
/// | value | CSV | TSV |
/// |---|---|---|
/// | missing, null | nothing | nothing |
/// | empty string | `""` | nothing |
/// | string with a separator, quote or newline | in quotes, quotes doubled | with `\t \n \r \\` |
/// | array, object | as JSON | as JSON |
/// | the only one of its row, and nothing | `""` | nothing |
///
/// A line without anything is no row for many readers.
package enum SeparatedValues: Sendable {
  case commas
  case tabs

  /// The row of these texts, without its end.
  package func row(_ fields: [String]) -> String {
    if self == .commas, fields == [""] { return field("") }
    return fields.joined(separator: self == .commas ? "," : "\t")
  }

  /// The field of a value.
  package func field(_ value: ShownValue?) -> String {
    switch value {
    case nil, .null: ""
    case .number(let text): text
    case .text(let text), .json(let text): field(text)
    }
  }

  /// The field of a text.
  package func field(_ text: String) -> String {
    switch self {
    case .commas:
      let isPlain = !text.isEmpty && !text.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
      return isPlain ? text : Quoting.quoted(text, by: "\"")
    case .tabs:
      guard text.utf8.contains(where: { [0x09, 0x0A, 0x0D, 0x5C].contains($0) }) else { return text }
      return text.replacingScalars(["\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\"])
    }
  }
}

extension OutputMode {
  /// How values are separated, if this is a form of rows.
  package var separation: SeparatedValues? {
    switch self {
    case .csv: .commas
    case .tsv: .tabs
    case .changes, .json, .table, .count: nil
    }
  }
}
