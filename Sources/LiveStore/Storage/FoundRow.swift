/// A row and its object, which keeps its address while the table's state or a copy of it lives.
@usableFromInline
package struct FoundRow: Sendable {
  @usableFromInline package let row: UInt64
  private let address: UInt

  @usableFromInline
  init(_ row: UInt64, _ object: UnsafeRawPointer) {
    self.row = row
    address = UInt(bitPattern: object)
  }

  @usableFromInline
  package var object: UnsafeRawPointer { UnsafeRawPointer(validAddress: address) }
}
