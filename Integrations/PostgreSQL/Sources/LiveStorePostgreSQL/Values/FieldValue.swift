/// One value that is not null, with its place: what values are decoded from outside the usual cases.
struct FieldValue {
  let bytes: [UInt8]
  let range: Range<Int>
  let isBinary: Bool
  let type: PostgresType
  let place: ColumnPlace

  /// The text of a value.
  var text: String? { withBytes { $0.text(type) } }

  @inline(__always)
  func withBytes<Result>(_ body: (ValueBytes) throws -> Result) rethrows -> Result {
    try bytes.withUnsafeBytes {
      try body(
        ValueBytes(bytes: UnsafeRawBufferPointer(rebasing: $0[range]), isBinary: isBinary, kind: type.kind))
    }
  }

  /// The value as errors show it.
  var shown: String {
    let isLong = isBinary && type.kind == .array && range.count > 4_096
    guard !isLong, let text else {
      return bytes[range].prefix(26).reduce(into: "\\x") {
        $0 += ($1 < 16 ? "0" : "") + String($1, radix: 16)
      }
    }
    return text.beginning
  }
}

/// Where a value is, for errors.
struct ColumnPlace: Sendable {
  let table: String
  let column: String
}

extension PostgresError {
  /// The value is none of the type that was asked for.
  ///
  /// - Parameter reason: why, if more is known, as a sentence.
  static func unreadable(_ value: FieldValue, as type: any Any.Type, _ reason: String? = nil) -> PostgresError
  {
    let shown = value.shown
    let reason = reason.map { " \($0)" } ?? ""
    return PostgresError(
      PostgresError.mismatch,
      "The value \(shown) of column \(value.place.column) (\(value.type)) of table \(value.place.table) cannot be"
        + " read as \(type).\(reason)", table: value.place.table, column: value.place.column, value: shown)
  }

  static func isNull(_ place: ColumnPlace, _ type: any Any.Type) -> PostgresError {
    PostgresError(
      PostgresError.mismatch,
      "Column \(place.column) of table \(place.table) is NULL, which \(type) cannot be.", table: place.table,
      column: place.column, value: "NULL")
  }

  static func noColumn(_ column: String, _ layout: RowLayout) -> PostgresError {
    PostgresError(
      PostgresError.mismatch,
      "\(layout.absence(of: column)). Its columns are \(layout.names.joined(separator: ", ")).",
      table: layout.table, column: column)
  }

  /// An update left a value out, and it is not known from elsewhere.
  static func isUnchanged(_ place: ColumnPlace, _ reason: String = "") -> PostgresError {
    PostgresError(
      PostgresError.mismatch,
      "An update left out the unchanged value of column \(place.column) of table \(place.table). \(reason)Set REPLICA"
        + " IDENTITY FULL for the table.", table: place.table, column: place.column)
  }
}
