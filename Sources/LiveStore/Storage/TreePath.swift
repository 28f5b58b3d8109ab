/// The slot taken at each height on the way from the root to an entry.
struct TreePath {
  /// Inner nodes have at least two children off the right edge, so 32 levels are more than memory holds.
  private var slots = SIMD32<UInt8>(repeating: 0)

  subscript(height: Int) -> Int {
    get { Int(slots[height]) }
    set { slots[height] = UInt8(truncatingIfNeeded: newValue) }
  }
}
