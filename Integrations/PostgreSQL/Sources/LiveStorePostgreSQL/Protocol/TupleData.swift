/// The columns of one row, as the server sent them.
///
/// The bytes are those of the message or of the piece of a copy that the row came in; rows share them.
package struct TupleData: Sendable {
  /// Where the value of a column is.
  package struct Field: Sendable, Equatable {
    package enum Form: UInt8, Sendable {
      case null
      /// A large value that an update did not change, and that the server therefore left out.
      case unchanged
      case text
      case binary
    }

    let start: Int
    let count: Int32
    package let form: Form

    /// A value in a part of the bytes. Messages are shorter than 2 GB, so their fields are, too.
    package init(_ form: Form, _ range: Range<Int>) {
      (start, count, self.form) = (range.lowerBound, Int32(clamping: range.count), form)
    }

    package static let null = Field(.null, 0..<0)
    package static let unchanged = Field(.unchanged, 0..<0)

    var range: Range<Int> { start..<start + Int(count) }
  }

  package let bytes: [UInt8]
  package let fields: [Field]
  /// The index of the first column in `fields`, which rows of a copy share.
  let first: Int
  /// The number of columns.
  let count: Int

  package init(bytes: [UInt8], fields: [Field]) {
    self.init(bytes: bytes, fields: fields, first: 0, count: fields.count)
  }

  init(bytes: [UInt8], fields: [Field], first: Int, count: Int) {
    precondition(first >= 0 && count >= 0 && first + count <= fields.count, "The row is outside its fields.")
    (self.bytes, self.fields, self.first, self.count) = (bytes, fields, first, count)
  }

  package subscript(column: Int) -> Field {
    precondition(column >= 0 && column < count, "The row has no such column.")
    return fields[first + column]
  }

  /// The bytes of a column; none if it is null or unchanged.
  package func value(_ column: Int) -> ArraySlice<UInt8> { bytes[self[column].range] }

  /// Whether some value was left out because it is as before.
  package var hasUnchanged: Bool { fields[first..<first + count].contains { $0.form == .unchanged } }
}

extension TupleData: Equatable {
  /// Whether two rows have the same values in the same forms.
  package static func == (left: TupleData, right: TupleData) -> Bool {
    left.count == right.count
      && (0..<left.count).allSatisfy {
        left[$0].form == right[$0].form && left.value($0) == right.value($0)
      }
  }
}

/// Rows that share their bytes, as a piece of a copy has them.
package struct TupleBatch: Sendable {
  package let bytes: [UInt8]
  package private(set) var fields: [TupleData.Field]
  let columnCount: Int
  package private(set) var count: Int

  package init(bytes: [UInt8], fields: [TupleData.Field], columnCount: Int, count: Int) {
    (self.bytes, self.fields, self.columnCount, self.count) = (bytes, fields, columnCount, count)
  }

  package subscript(row: Int) -> TupleData {
    precondition(row >= 0 && row < count, "The piece has no such row.")
    return TupleData(bytes: bytes, fields: fields, first: row * columnCount, count: columnCount)
  }

  /// Adds a row that shares the bytes.
  ///
  /// - Returns: false if it has other bytes, or another number of columns; then it is not added.
  mutating func append(_ row: TupleData) -> Bool {
    // Both arrays are held, so that one place is one array.
    let isShared = bytes.withUnsafeBytes { own in
      row.bytes.withUnsafeBytes { $0.baseAddress == own.baseAddress }
    }
    guard isShared, row.count == columnCount else { return false }
    fields += row.fields[row.first..<row.first + row.count]
    count += 1
    return true
  }
}
