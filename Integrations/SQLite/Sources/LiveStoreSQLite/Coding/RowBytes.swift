/// The values of a row as bytes, which are then sealed.
///
///     mark, 8 bytes | for each value that is not null: column and type, value
///
/// Numbers are little-endian base 128, integers with the sign in the lowest bit; texts and data have their length first.
/// The mark is random. The sum of all rows' marks, which is sealed, too, tells whether the rows are those that were
/// written: who does not know the marks cannot choose older rows that give the same sum.
enum RowBytes {
  static func encode(_ values: [ColumnValue], mark: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    append(word: mark, to: &bytes)
    for (column, value) in values.enumerated() {
      let head = UInt64(column) << 2
      switch value {
      case .null: break
      case .integer(let number):
        append(head, to: &bytes)
        append(UInt64(bitPattern: number << 1 ^ number >> 63), to: &bytes)
      case .real(let number):
        append(head | 1, to: &bytes)
        append(word: number.bitPattern, to: &bytes)
      case .text(let text):
        append(head | 2, to: &bytes)
        append(UInt64(text.utf8.count), to: &bytes)
        bytes += text.utf8
      case .blob(let data):
        append(head | 3, to: &bytes)
        append(UInt64(data.count), to: &bytes)
        bytes += data
      }
    }
    return bytes
  }

  /// Sets the values of all columns.
  ///
  /// - Returns: the mark; nil if these are no bytes of a row.
  static func decode(_ bytes: [UInt8], into values: inout [ColumnValue]) -> UInt64? {
    for index in values.indices { values[index] = .null }
    var rest = bytes[...]
    guard let mark = word(&rest) else { return nil }
    while !rest.isEmpty {
      guard let head = number(&rest), head >> 2 < values.count else { return nil }
      let column = Int(head >> 2)
      switch head & 3 {
      case 0:
        guard let number = number(&rest) else { return nil }
        values[column] = .integer(Int64(bitPattern: number >> 1) ^ -Int64(number & 1))
      case 1:
        guard let word = word(&rest) else { return nil }
        values[column] = .real(Double(bitPattern: word))
      case let type:
        guard let count = number(&rest), count <= rest.count else { return nil }
        let content = rest.prefix(Int(count))
        rest = rest.dropFirst(Int(count))
        values[column] = type == 2 ? .text(String(decoding: content, as: UTF8.self)) : .blob(Array(content))
      }
    }
    return mark
  }

  private static func append(word: UInt64, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 128 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private static func word(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
    guard rest.count >= 8 else { return nil }
    let word = rest.prefix(8).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    rest = rest.dropFirst(8)
    return word
  }

  private static func number(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
    var (number, shift) = (0 as UInt64, 0 as UInt64)
    while let byte = rest.popFirst(), shift < 64 {
      number |= UInt64(byte & 127) << shift
      if byte < 128 { return number }
      shift += 7
    }
    return nil
  }
}
