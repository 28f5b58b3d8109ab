/// What a terminal shows after the bytes that it has received: as much of one as tables need.
///
/// It measures scalar by scalar, as most terminals do, and not by the tool's own rules.
struct EmulatedTerminal {
  /// A character on the screen; the second half of a wide one is empty.
  struct Cell: Hashable {
    var text = " "
    var codes = ""
  }

  private(set) var rows: [[Cell]] = []
  private(set) var cursor = (row: 0, column: 0)
  private(set) var isAlternate = false
  private(set) var isCursorVisible = true
  private(set) var wraps = true
  /// What is in the other screen, where a shell writes.
  private var normal: [[Cell]] = []
  private(set) var size: (rows: Int, columns: Int)
  private var codes = ""
  private var saved = (row: 0, column: 0)
  private var pending: [UInt8] = []
  private var joins = false

  init(rows: Int, columns: Int) {
    size = (rows, columns)
    self.rows = Self.blank(rows, columns)
    normal = self.rows
  }

  private static func blank(_ rows: Int, _ columns: Int) -> [[Cell]] {
    Array(repeating: Array(repeating: Cell(), count: columns), count: rows)
  }

  /// The lines without spaces at their ends.
  var lines: [String] {
    rows.map { row in
      var line = row.map(\.text).joined()
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// The screen's text.
  var text: String { lines.joined(separator: "\n") }

  /// The characters that are set by these codes, line by line.
  func text(in codes: String) -> [String] {
    rows.map { row in row.filter { $0.codes == codes }.map(\.text).joined() }.filter { !$0.isEmpty }
  }

  mutating func resize(rows: Int, columns: Int) {
    size = (rows, columns)
    self.rows = Self.blank(rows, columns)
    normal = self.rows
    cursor = (0, 0)
  }

  /// Takes in bytes, in pieces of any size.
  mutating func receive(_ bytes: some Collection<UInt8>) {
    pending += bytes
    var rest = pending[...]
    while let first = rest.first {
      if first == 0x1B {
        guard let end = Self.endOfSequence(rest) else { break }
        obey(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
        rest = rest[end...]
      } else {
        let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard rest.count >= length else { break }
        for scalar in String(decoding: rest.prefix(length), as: UTF8.self).unicodeScalars { put(scalar) }
        rest = rest.dropFirst(length)
      }
    }
    pending = Array(rest)
  }

  private static func endOfSequence(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count >= 2 else { return nil }
    if bytes[bytes.startIndex + 1] != UInt8(ascii: "[") { return bytes.startIndex + 2 }
    return bytes.dropFirst(2).firstIndex { (0x40...0x7E).contains($0) || $0 == 0x18 }.map { $0 + 1 }
  }

  private mutating func obey(_ sequence: String) {
    guard sequence.hasPrefix("\u{1B}["), let command = sequence.last, command != "\u{18}" else { return }
    let parameters = sequence.dropFirst(2).dropLast()
    let numbers = parameters.split(separator: ";").map { Int($0) ?? 0 }
    switch command {
    case "H": cursor = ((numbers.first ?? 1) - 1, (numbers.dropFirst().first ?? 1) - 1)
    case "G": cursor.column = (numbers.first ?? 1) - 1
    case "K": for column in min(cursor.column, size.columns - 1)..<size.columns { rows[row][column] = Cell() }
    case "J": rows = Self.blank(size.rows, size.columns)
    case "m": codes = parameters == "0" ? "" : String(parameters)
    case "h", "l": set(String(parameters), command == "h")
    default: break
    }
  }

  private mutating func set(_ mode: String, _ isOn: Bool) {
    switch mode {
    case "?25": isCursorVisible = isOn
    case "?7": wraps = isOn
    case "?1049" where isOn != isAlternate:
      isAlternate = isOn
      swap(&cursor, &saved)
      swap(&rows, &normal)
      if isOn { rows = Self.blank(size.rows, size.columns) }
    default: break
    }
  }

  private var row: Int { min(cursor.row, size.rows - 1) }

  private mutating func put(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0x0D: cursor.column = 0
    case 0x0A:
      cursor.row += 1
      if cursor.row >= size.rows {
        rows = rows.dropFirst() + Self.blank(1, size.columns)
        cursor.row = size.rows - 1
      }
    case 0x08: cursor.column = max(0, cursor.column - 1)
    case ..<0x20: break
    default: show(scalar)
    }
  }

  private mutating func show(_ scalar: Unicode.Scalar) {
    let width = joins ? 0 : Self.width(scalar)
    joins = scalar == "\u{200D}"
    if width == 0 {
      let column = min(cursor.column, size.columns) - 1
      // The first half of a wide character.
      let base = column > 0 && rows[row][column].text.isEmpty ? column - 1 : column
      if base >= 0 { rows[row][base].text.unicodeScalars.append(scalar) }
      return
    }
    if cursor.column + width > size.columns {
      if wraps {
        put("\r")
        put("\n")
      } else {
        cursor.column = size.columns - width
        if cursor.column < 0 { return }
      }
    }
    rows[row][cursor.column] = Cell(text: String(scalar), codes: codes)
    if width == 2 { rows[row][cursor.column + 1] = Cell(text: "", codes: codes) }
    cursor.column += width
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0x300...0x36F, 0x200B...0x200F, 0xFE00...0xFE0F, 0x1F3FB...0x1F3FF: 0
    case 0x1100...0x115F, 0x2E80...0xD7A3, 0xF900...0xFAFF, 0xFF01...0xFF60, 0x1F300...0x1FAFF,
      0x20000...0x3FFFD:
      2
    default: 1
    }
  }
}
