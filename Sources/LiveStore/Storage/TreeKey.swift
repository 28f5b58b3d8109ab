/// The key of an entry in a `Tree`: two words, compared as the tree's layout defines.
///
/// `first` decides. The meaning of `second` depends on `TreeLayout.Order`: a stamp that takes no part in the order,
/// or the last criterion among equal entries.
@frozen
package struct TreeKey: Hashable, Sendable {
  package var first: UInt64
  package var second: UInt64

  package init(_ first: UInt64, _ second: UInt64) {
    self.first = first
    self.second = second
  }
}

extension TreeKey: CustomStringConvertible {
  package var description: String { "(\(first), \(second))" }
}
