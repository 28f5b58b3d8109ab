/// The addresses of up to 64 values that lie anywhere in memory, for the library's own use.
@_documentation(visibility: internal)
public struct IndirectValues {
  /// The addresses of the objects that contain the values.
  let wholes: UnsafePointer<UnsafeRawPointer>
  let count: Int
  /// The distance from each object's address to its value, in bytes.
  let offset: Int

  @inline(__always)
  subscript(index: Int) -> UnsafeRawPointer { wholes[index] + offset }
}
