/// A time as text of ISO 8601: `2026-11-29T18:30:00.5+01:00` or `20261129T183000Z`, also a date alone, with a space in
/// place of the T, without seconds, and without an offset from UTC.
struct TimeText {
  private var rest: Slice<UnsafeRawBufferPointer>

  /// The text in UTF-8.
  init(_ bytes: UnsafeRawBufferPointer) {
    rest = bytes[...]
  }

  /// The milliseconds since 1970; nil if the text is no time.
  mutating func milliseconds() -> Int64? {
    guard let year = number(4) else { return nil }
    let isBasic = !skip("-")
    guard let month = number(2), isBasic || skip("-"), let date = number(2),
      let day = UTCTime.day(year: year, month: month, date: date)
    else { return nil }
    if rest.isEmpty { return day * 86_400_000 }
    guard skip("T") || skip(" ") || skip("t"), let hour = number(2), hour < 24, isBasic || skip(":"),
      let minute = number(2), minute < 60
    else { return nil }
    var time = (day * 24 + hour) * 3_600_000 + minute * 60_000
    if isBasic ? isDigit(rest.first) : skip(":") {
      // A leap second belongs to the next minute.
      guard let second = number(2), second <= 60 else { return nil }
      time += second * 1_000
      if skip(".") || skip(",") {
        guard let fraction = fraction() else { return nil }
        time += fraction
      }
    }
    guard let offset = offset(), rest.isEmpty else { return nil }
    return time - offset * 60_000
  }

  /// The minutes before UTC.
  private mutating func offset() -> Int64? {
    if rest.isEmpty || skip("Z") || skip("z") { return 0 }
    let isNegative = skip("-")
    guard isNegative || skip("+"), let hours = number(2), hours < 24 else { return nil }
    guard skip(":") || !rest.isEmpty else { return isNegative ? -hours * 60 : hours * 60 }
    guard let minutes = number(2), minutes < 60 else { return nil }
    return (isNegative ? -1 : 1) * (hours * 60 + minutes)
  }

  /// The milliseconds of the digits behind a point.
  private mutating func fraction() -> Int64? {
    var (milliseconds, unit): (Int64, Int64) = (0, 100)
    let start = rest.startIndex
    while let byte = rest.first, isDigit(byte) {
      milliseconds += Int64(byte - 0x30) * unit
      unit /= 10
      rest = rest.dropFirst()
    }
    return rest.startIndex > start ? milliseconds : nil
  }

  private mutating func number(_ digits: Int) -> Int64? {
    let bytes = rest.prefix(digits)
    guard bytes.count == digits, bytes.allSatisfy(isDigit) else { return nil }
    rest = rest.dropFirst(digits)
    return bytes.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  private func isDigit(_ byte: UInt8?) -> Bool { byte.map { $0 &- 0x30 < 10 } ?? false }

  private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard let byte = rest.first, byte == UInt8(ascii: scalar) else { return false }
    rest = rest.dropFirst()
    return true
  }
}
