/// The positions of the bits that are set, ascending: the rows of a block that a filter selected.
struct SelectedBits: Sequence, IteratorProtocol {
  private var bits: UInt64

  @inline(__always)
  init(_ bits: UInt64) { self.bits = bits }

  @inline(__always)
  mutating func next() -> Int? {
    if bits == 0 { return nil }
    defer { bits &= bits &- 1 }
    return bits.trailingZeroBitCount
  }
}
