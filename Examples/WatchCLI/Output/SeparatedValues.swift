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

  /// What stands between fields.
  var separator: UInt8 { UInt8(ascii: self == .commas ? "," : "\t") }

  /// Appends the field of the value that a range of an object has; nothing if it is missing.
  ///
  /// - Parameter spellings: how numbers of the object were written, see `NumberSpellings`.
  func append(
    _ range: Range<Int>?, of object: JSONText, _ spellings: UnsafeRawBufferPointer, to row: inout [UInt8]
  ) {
    guard let range else { return }
    let bytes = UnsafeRawBufferPointer(rebasing: object.bytes[range])
    let isText = bytes[0] == UInt8(ascii: "\"")
    let plain = isText ? bytes[1..<bytes.count - 1] : bytes[...]
    // Newlines, tabs and quotation marks are escapes in JSON.
    let isPlain =
      isText
      ? !plain.isEmpty && !plain.contains { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: ",") }
      : (bytes[0] == UInt8(ascii: "-") || bytes[0] &- 0x30 < 10)
        && NumberSpellings.spelling(at: range.lowerBound, in: spellings) == nil
    if isPlain {
      row.append(contentsOf: plain)
    } else {
      row.append(contentsOf: field(ShownValue(object, at: range, spellings)).utf8)
    }
  }

  /// The field of a value.
  private func field(_ value: ShownValue?) -> String {
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
