/// The addresses of some of up to 64 values that lie at equal distances in memory, for the library's own use.
@_documentation(visibility: internal)
public struct StridedValues {
  let first: UnsafeRawPointer
  /// The distance from one to the next in bytes.
  let stride: Int
  /// A bit for each value, the first one's the lowest.
  let selected: UInt64

  var count: Int { selected.nonzeroBitCount }

  /// Calls `body` with each address, ascending.
  @inline(__always)
  func forEach(_ body: (UnsafeRawPointer) -> Void) {
    for index in SelectedBits(selected) { body(first + index &* stride) }
  }
}
