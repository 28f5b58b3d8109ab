/// Whether two objects have the same value of a property.
struct Sameness: Sendable {
  /// Where a stored property lies in its object; empty for any other.
  private let bytes: Range<Int>
  /// Whether different bytes mean different values, as for integers.
  private let areDecisive: Bool
  private let isSameValue: @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool

  init<Value: Equatable & Sendable>(_ reader: ObjectReader<Value>) {
    if case .offset(let offset) = reader {
      bytes = offset..<offset + MemoryLayout<Value>.size
    } else {
      bytes = 0..<0
    }
    areDecisive = !bytes.isEmpty && (Value.self is any FixedWidthInteger.Type || Value.self == Bool.self)
    isSameValue = { LiveStore.isSameValue(reader.read($0), reader.read($1)) }
  }

  /// Whether the values are the same byte by byte, so that all their members are the same, whatever their `==` leaves out.
  func hasSameBytes(_ lhs: UnsafeRawPointer, _ rhs: UnsafeRawPointer) -> Bool {
    !bytes.isEmpty && LiveStore.hasSameBytes(lhs, rhs, in: bytes)
  }

  /// Compares bytes first: most edits leave most properties as they were.
  @inline(__always)
  func isSame(_ lhs: UnsafeRawPointer, _ rhs: UnsafeRawPointer) -> Bool {
    LiveStore.hasSameBytes(lhs, rhs, in: bytes) || (!areDecisive && isSameValue(lhs, rhs))
  }
}
