extension JSONValue: AbbreviatedKey {
  static var isExact: Bool { false }

  /// The kind in the highest three bits, followed by the abbreviation of a number or a string.
  ///
  /// A number is abbreviated by its nearest double, which never reverses the order of two numbers.
  package var abbreviation: UInt64 {
    let detail: UInt64
    switch self {
    case .number(let number): detail = number.double.abbreviation
    case .string(let text): detail = text.textAbbreviation
    default: detail = 0
    }
    return UInt64(rank) << 61 | detail >> 3
  }

  static func compare(_ left: JSONValue, _ right: JSONValue) -> Int { order(left, right) }
}
