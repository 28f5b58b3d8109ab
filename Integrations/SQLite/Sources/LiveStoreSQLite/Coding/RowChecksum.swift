/// A checksum of a row: it finds values that were not written here, whether a disk or another program changed them.
///
/// Each value adds its column, its type and its bytes to a hash of 64 bits, which multiplies and mixes eight bytes at a
/// time; 32 bits of it are stored. It is part of the file's format, and no protection against intent.
struct RowChecksum {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// The names of a table and its columns, which go into each row's checksum: a row of another table is none of this one's,
  /// and no value is of another column.
  struct Names {
    /// Nil for files of format 1, whose checksums have the numbers of columns alone.
    private let table: UInt64?
    private var columns: [UInt64] = []

    init(_ table: String, _ columns: [String] = [], format: Int64 = FileContents.format) {
      self.table = format == 1 ? nil : Self.hash(table)
      for column in columns { add(column) }
    }

    mutating func add(_ column: String) {
      columns.append(table == nil ? UInt64(columns.count) : Self.hash(column))
    }

    private static func hash(_ name: String) -> UInt64 {
      var checksum = RowChecksum()
      var name = name
      name.withUTF8 { checksum.add(UnsafeRawBufferPointer($0)) }
      return checksum.state
    }

    /// The checksum of a row.
    ///
    /// Nulls make no difference, so that a column may be added (X4).
    /// - Parameters:
    ///   - values: those of all columns.
    ///   - place: the number of the row, so that rows that are swapped are found.
    func checksum(_ values: [ColumnValue], place: Int64) -> Int64 {
      var checksum = RowChecksum()
      checksum.mix(UInt64(bitPattern: place))
      if let table { checksum.mix(table) }
      for (index, value) in values.enumerated() where value != .null {
        checksum.mix(columns[index])
        checksum.add(value)
      }
      return checksum.value
    }
  }

  /// The checksum of a text by itself.
  static func of(_ text: String) -> Int64 {
    var checksum = RowChecksum()
    checksum.mix(0)
    checksum.mix(0)
    checksum.add(.text(text))
    return checksum.value
  }

  private var value: Int64 { Int64((state ^ state >> 32) & 0xFFFF_FFFF) }

  private mutating func add(_ value: ColumnValue) {
    switch value {
    case .null: break
    case .integer(let value):
      mix(1)
      mix(UInt64(bitPattern: value))
    case .real(let value):
      mix(2)
      mix(value.bitPattern)
    case .text(var text):
      mix(3)
      text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    case .blob(let bytes):
      mix(4)
      bytes.withUnsafeBytes { add($0) }
    }
  }

  private mutating func add(_ bytes: UnsafeRawBufferPointer) {
    mix(UInt64(bytes.count))
    var offset = 0
    while offset + 8 <= bytes.count {
      // In bounds by the condition.
      mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset += 8
    }
    var rest: UInt64 = 0
    while offset < bytes.count {
      rest = rest << 8 | UInt64(bytes[offset])
      offset += 1
    }
    mix(rest)
  }

  private mutating func mix(_ word: UInt64) {
    let (high, low) = (state ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
    state = (high ^ low) &+ 0xE703_7ED1_A0B4_28DB
  }
}
