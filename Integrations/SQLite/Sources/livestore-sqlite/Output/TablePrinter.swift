import LiveStore

/// Prints objects as a table.
///
/// Its columns are as wide as the values of the first rows. On a terminal the widest are made narrower until the table
/// fits, and those for which there is no room are named at the end; elsewhere nothing is cut, and a value that is wider
/// than most moves those behind it.
struct TablePrinter {
  private let writer: OutputWriter
  private let columns: [Column]
  /// How many columns the terminal has; nil if there is none.
  private let room: Int?
  private var rows: [[Cell]] = []
  /// The widths of the columns that are shown, once they are known.
  private var layout: (widths: [Int], isRight: [Bool])?

  private struct Cell {
    let text: String
    let width: Int
    let isNumber: Bool
    let isEmpty: Bool

    /// - Parameter room: how many columns there are at the most; nil if nothing is cut.
    init(_ value: JSONValue?, room: Int?) {
      isEmpty = value?.isNull ?? true
      if case .number? = value { isNumber = true } else { isNumber = false }
      switch value {
      case nil, .null?: text = ""
      case .string(let value)?: text = Self.start(of: value, room).escapingInvisibles
      case let value?: text = Self.start(of: "\(value)", room).escapingInvisibles
      }
      width = text.displayWidth
    }

    /// What there may be room for, and a character more: a text of megabytes is not measured to its end. A character may
    /// have any number of marks.
    private static func start(of text: String, _ room: Int?) -> String {
      guard let room, text.utf8.count > room else { return text }
      return String(String(text.unicodeScalars.prefix(8 * (room + 1))).prefix(room + 1))
    }
  }

  /// How many rows the widths are found in.
  private static let sample = 1_000
  /// Columns are not made narrower than this, or their titles.
  private static let narrowest = 10
  private static let gap = 2
  /// Where nothing is cut, columns are not made wider than this: one value would have all rows filled with blanks.
  private static let widest = 200

  init(_ columns: [Column], _ writer: OutputWriter) {
    (self.columns, self.writer, room) = (columns, writer, writer.width)
  }

  mutating func append(_ values: [JSONValue?]) throws {
    let cells = values.map { Cell($0, room: room) }
    guard layout == nil else { return try print(cells) }
    rows.append(cells)
    if rows.count == Self.sample { try begin() }
  }

  mutating func end() throws {
    if layout == nil { try begin() }
    // Before what is said about it.
    try writer.flush()
    let hidden = columns.dropFirst(layout?.widths.count ?? 0).map(\.title)
    if !hidden.isEmpty {
      OutputWriter.report(
        "No room for \(hidden.joined(separator: ", ")). Choose with --select, or use --format lines.")
    }
  }

  private mutating func begin() throws {
    if columns.isEmpty { return }
    let titles = columns.map { Cell(.string($0.title), room: room) }
    var widths = columns.indices.map { column in
      rows.reduce(max(1, titles[column].width)) { max($0, $1[column].width) }
    }
    let isRight = columns.indices.map { column in
      rows.contains { $0[column].isNumber } && rows.allSatisfy { $0[column].isNumber || $0[column].isEmpty }
    }
    widths = room.map { fitted(widths, titles, $0) } ?? widths.map { min($0, Self.widest) }
    layout = (widths, isRight)
    try print(titles)
    for row in rows { try print(row) }
    rows = []
  }

  /// The widths of the columns for which there is room.
  private func fitted(_ widths: [Int], _ titles: [Cell], _ room: Int) -> [Int] {
    let least = zip(widths, titles).map { min($0, max(Self.narrowest, min($1.width, room))) }
    var count = widths.count
    while count > 1, least.prefix(count).reduce((count - 1) * Self.gap, +) > room { count -= 1 }
    var result = Array(widths.prefix(count))
    var excess = result.reduce((count - 1) * Self.gap, +) - room
    while excess > 0 {
      // Of the widest, the last.
      let wide = result.indices.filter { result[$0] > least[$0] }
      guard let index = wide.max(by: { (result[$0], $0) < (result[$1], $1) }) else { break }
      result[index] -= 1
      excess -= 1
    }
    return result
  }

  private func print(_ cells: [Cell]) throws {
    guard let layout else { return }
    var line = ""
    for (index, width) in layout.widths.enumerated() {
      if index > 0 { line += String(repeating: " ", count: Self.gap) }
      let (text, isRight) = (cells[index].text, layout.isRight[index])
      line +=
        room == nil ? text.filled(to: width, isRight: isRight) : text.fitted(to: width, isRight: isRight)
    }
    while line.unicodeScalars.last == " " { line.unicodeScalars.removeLast() }
    try writer.append(line)
  }
}
