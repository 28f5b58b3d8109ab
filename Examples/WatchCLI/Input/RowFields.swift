/// Where a value of a row is.
struct RowField {
  var start: Int
  var end: Int
  /// Whether it had quotation marks around it, so that nothing between them is the empty text.
  var isQuoted = false
  /// Whether it had escapes, so that its bytes are among the unescaped ones instead of the row's.
  var isUnescaped = false
}

/// The fields of one row, as places in its bytes; only those that had escapes are copied.
struct RowFields {
  /// The fields in order, up to `maximum`.
  private(set) var fields: [RowField] = []
  /// How many there are.
  private(set) var count = 0
  /// The bytes of the fields that had escapes.
  private(set) var unescaped: [UInt8] = []
  /// In CSV, where reading goes on when a row has a further line.
  private var place = 0
  /// The field that has no closing quotation mark yet: where it begins, and whether there are doubled ones in it.
  private var open: (start: Int, hasDoubled: Bool)?

  /// How many are kept.
  static let maximum = 1 << 20

  /// Where the field begins that has no closing quotation mark, or the next.
  var openPlace: Int { open?.start ?? place }

  mutating func removeAll() {
    fields.removeAll(keepingCapacity: true)
    unescaped.removeAll(keepingCapacity: unescaped.count < 1 << 20)
    (count, place, open) = (0, 0, nil)
  }

  private mutating func append(_ field: RowField) {
    if count < Self.maximum { fields.append(field) }
    count += 1
  }

  /// Calls a closure with the bytes of a field of a row.
  @inline(__always)
  func withBytes<Result>(
    of field: RowField, in row: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    if !field.isUnescaped { return body(UnsafeRawBufferPointer(rebasing: row[field.start..<field.end])) }
    return unescaped.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[field.start..<field.end])) }
  }

  /// The text of a field of a row.
  func text(of field: RowField, in row: UnsafeRawBufferPointer) -> String {
    withBytes(of: field, in: row) { String(decoding: $0, as: UTF8.self) }
  }
}

// MARK: CSV and TSV

extension RowFields {
  private static let quote = UInt8(ascii: "\"")

  /// Finds the fields of a row of CSV, of which whole lines have been read; the last may end in a carriage return.
  ///
  /// Quotation marks stand around a whole field; in one that begins otherwise they stand for themselves.
  /// - Returns: false if a field does not end, so that the next line belongs to the row as well; then all its lines are
  ///   given again, and reading goes on where it stopped.
  /// - Complexity: O(length of the lines that are new)
  mutating func readCSV(_ row: UnsafeRawBufferPointer, _ delimiter: UInt8) throws(RowMistake) -> Bool {
    while true {
      if open == nil, place < row.count, row[place] == Self.quote {
        place += 1
        open = (place, false)
      }
      if open != nil {
        guard readQuoted(row) else { return false }
      } else {
        let start = place
        var end = start
        while end < row.count, row[end] != delimiter { end += 1 }
        place = end
        let isReturn = end == row.count && end > start && row[end - 1] == 0x0D
        append(RowField(start: start, end: isReturn ? end - 1 : end))
      }
      if place == row.count || place == row.count - 1 && row[place] == 0x0D { return true }
      guard row[place] == delimiter else {
        throw RowMistake(reason: "field \(count): something follows its closing quotation mark")
      }
      place += 1
    }
  }

  /// Reads on to the end of the field in quotation marks; false if it is not in these lines.
  private mutating func readQuoted(_ row: UnsafeRawBufferPointer) -> Bool {
    guard let start = open?.start, var hasDoubled = open?.hasDoubled else { return true }
    while place < row.count {
      if row[place] != Self.quote {
        place += 1
        continue
      }
      // What is doubled stands in one line, since lines are whole.
      guard place + 1 < row.count, row[place + 1] == Self.quote else {
        add(row, start..<place, hasDoubled)
        (open, place) = (nil, place + 1)
        return true
      }
      (hasDoubled, place) = (true, place + 2)
    }
    open = (start, hasDoubled)
    return false
  }

  private mutating func add(_ row: UnsafeRawBufferPointer, _ range: Range<Int>, _ hasDoubled: Bool) {
    guard hasDoubled else {
      append(RowField(start: range.lowerBound, end: range.upperBound, isQuoted: true))
      return
    }
    let start = unescaped.count
    var isSecond = false
    for byte in row[range] {
      isSecond = byte == Self.quote && !isSecond
      if !isSecond { unescaped.append(byte) }
    }
    append(RowField(start: start, end: unescaped.count, isQuoted: true, isUnescaped: true))
  }

  /// Finds the fields of a line of TSV.
  ///
  /// - Complexity: O(length)
  mutating func readTSV(_ row: UnsafeRawBufferPointer) {
    var start = 0
    while true {
      var (end, hasEscapes) = (start, false)
      while end < row.count, row[end] != 0x09 {
        hasEscapes = hasEscapes || row[end] == UInt8(ascii: "\\")
        end += 1
      }
      if hasEscapes { addEscaped(row, start..<end) } else { append(RowField(start: start, end: end)) }
      if end == row.count { return }
      start = end + 1
    }
  }

  private mutating func addEscaped(_ row: UnsafeRawBufferPointer, _ range: Range<Int>) {
    let start = unescaped.count
    var index = range.lowerBound
    while index < range.upperBound {
      let next = index + 1 < range.upperBound && row[index] == UInt8(ascii: "\\") ? row[index + 1] : 0
      let meant: UInt8? =
        switch next {
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "\\"): next
        default: nil
        }
      unescaped.append(meant ?? row[index])
      index += meant == nil ? 1 : 2
    }
    append(RowField(start: start, end: unescaped.count, isUnescaped: true))
  }
}

// MARK: logfmt

extension RowFields {
  /// Finds the names and values of a line of logfmt: the fields are a name, its value, the next name, and so on.
  ///
  /// Names and values may be quoted as Go quotes texts. A name alone has the value `true`.
  /// - Complexity: O(length)
  mutating func readLogfmt(_ row: UnsafeRawBufferPointer) throws(RowMistake) {
    func isBlank(_ index: Int) -> Bool { row[index] == 0x20 || row[index] == 0x09 }
    var index = 0
    while true {
      while index < row.count, isBlank(index) { index += 1 }
      if index == row.count { return }
      let start = index
      if row[index] == Self.quote {
        try addQuoted(row, &index)
      } else {
        while index < row.count, row[index] != UInt8(ascii: "="), row[index] != Self.quote, !isBlank(index) {
          index += 1
        }
        append(RowField(start: start, end: index))
      }
      let isName = index > start && (index == row.count || row[index] == UInt8(ascii: "=") || isBlank(index))
      guard isName else { throw Self.unexpected(row, start..<index) }
      guard index < row.count, row[index] == UInt8(ascii: "=") else {
        addTrue()
        continue
      }
      index += 1
      if index < row.count, row[index] == Self.quote {
        try addQuoted(row, &index)
      } else {
        let start = index
        while index < row.count, !isBlank(index) { index += 1 }
        append(RowField(start: start, end: index))
      }
    }
  }

  private static func unexpected(_ row: UnsafeRawBufferPointer, _ name: Range<Int>) -> RowMistake {
    let found = String(decoding: row[name.lowerBound..<min(row.count, name.upperBound + 20)], as: UTF8.self)
    return RowMistake(reason: "expected name=value, found \(found)")
  }

  private mutating func addTrue() {
    let start = unescaped.count
    unescaped += "true".utf8
    append(RowField(start: start, end: unescaped.count, isUnescaped: true))
  }

  /// Adds the field in quotation marks that begins at an index, which is led behind it.
  private mutating func addQuoted(_ row: UnsafeRawBufferPointer, _ index: inout Int) throws(RowMistake) {
    let start = index + 1
    index = start
    var hasEscapes = false
    while index < row.count, row[index] != Self.quote {
      hasEscapes = hasEscapes || row[index] == UInt8(ascii: "\\")
      index += row[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard index < row.count else {
      throw RowMistake(reason: "field \(count + 1): its quotation marks are not closed")
    }
    let range = start..<index
    index += 1
    guard hasEscapes else {
      append(RowField(start: range.lowerBound, end: range.upperBound, isQuoted: true))
      return
    }
    let place = unescaped.count
    GoEscapes.append(UnsafeRawBufferPointer(rebasing: row[range]), to: &unescaped)
    append(RowField(start: place, end: unescaped.count, isQuoted: true, isUnescaped: true))
  }
}
