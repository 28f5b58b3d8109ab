/// An entry of a tree, whose payload keeps its address while the tree or a copy of it lives.
package struct TreeEntry: Sendable {
  package let key: TreeKey
  private let address: UInt

  @inline(__always)
  init(_ key: TreeKey, _ payload: UnsafeRawPointer) {
    self.key = key
    address = UInt(bitPattern: payload)
  }

  @inline(__always)
  package var payload: UnsafeRawPointer { UnsafeRawPointer(validAddress: address) }
}
