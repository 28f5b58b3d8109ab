import LiveStore

/// Shows objects as lines of JSON, or as a table.
struct RowPrinter {
  private let columns: [String]
  /// The width of a column at the most.
  private static let widest = 32

  init(_ columns: [String]) { self.columns = columns }

  /// An object as JSON, with the columns alone.
  func line(_ object: JSONObject) -> String {
    let members = columns.compactMap { name in object[name].map { (key: name, value: $0) } }
    return "\(JSONValue.object(JSONObject(members)))"
  }

  /// A table with a line of names, its columns as wide as their values.
  func table(_ objects: [JSONObject]) -> [String] {
    let rows = objects.map { object in columns.map { Self.cell(object[$0]) } }
    let widths = columns.indices.map { column in
      min(Self.widest, rows.reduce(columns[column].count) { max($0, $1[column].count) })
    }
    return ([columns] + rows).map { cells in
      var text = ""
      for (cell, width) in zip(cells, widths) {
        let shown = cell.count > width ? cell.prefix(width - 1) + "…" : Substring(cell)
        text += shown + String(repeating: " ", count: width - shown.count + 2)
      }
      while text.last == " " { text.removeLast() }
      return text
    }
  }

  private static func cell(_ value: JSONValue?) -> String {
    switch value {
    case nil, .null?: ""
    // Without characters that would move the cursor.
    case .string(let text)?:
      String(text.map { $0.isNewline || $0.unicodeScalars.contains { $0.value < 32 } ? " " : $0 })
    case let value?: "\(value)"
    }
  }
}
