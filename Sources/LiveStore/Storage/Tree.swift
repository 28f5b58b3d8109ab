// The ordered tree.
//
// The user's types are never in this module, and unspecialised generic code is slow. There were two
// designs: a tree generic over key and value with `@inlinable` everywhere, and one concrete tree over two
// 64-bit words with raw payloads. The second needs no inlining across modules, compiles once, copies nodes
// of results with `memcpy` instead of counting references, and keeps all unsafe code in one folder. Its
// condition is that every key fits two words:
//
// - **Row numbers.** Each insertion gives its row the next number, permanently. Insertion order is row
//   order, and the row number breaks every tie in a sort.
// - **Abbreviations.** A sorted value is mapped to 64 bits in its own order: integers and dates exactly,
//   text by its first eight bytes in canonical composition (which is its order, see `OrderedText.swift`),
//   optionals with nil first. Equal abbreviations are resolved by comparing the real values, read from the
//   table; for most keys that never happens.
// - **Stamps.** Each row, and each entry of a result, carries the version that last changed it. Two entries
//   with the same key and stamp are equal without reading the values. A different stamp is only a hint; the
//   values decide.
//
// Objects are stored inline in the leaves of their table and nowhere else.
//
// Tables, indexes and live results are all one structure: an immutable ordered B+ tree with subtree counts
// (`Sources/LiveStore/Storage`). The one exception is the index from ids to rows, which needs no order: a
// trie of hashes (`HashIndex`). The tree is not generic. Keys are two words. A typed payload is a run of bytes in
// the leaf, and only three bulk functions in the tree's `TreeLayout` (copy, move, destroy) know its type.
// So the algorithms are compiled and optimised once, inside the module, whatever the user's types are.
// Storage is a folder and not a target of its own, since lookups would take three times as long
// ([Performance](Documentation/Performance.md)).
//
// | Tree | Layout | `first` | `second` | Payload |
// | --- | --- | --- | --- | --- |
// | table | `.values(of:)` | row number | stamp: the version that last changed the row | the struct |
// | result in row order | `.keys(order: .first)` | row number | stamp | none |
// | result in key order | `.stamped()` | abbreviated sort key | row number | stamp |
// | index | `.keys(order: .both)` | abbreviated value or hash | row number | none |
// | further ids of an equal hash | `.keys(order: .both)` | hash | row number | none |
// | inverted index, of a relation, of elements or of words | `.keys(order: .both)` | hash of the target's id or of the element, key of the word | row number | none |
//
// Abbreviated means that `abbr(x) < abbr(y)` implies `x < y`. A tie closure distinguishes equal
// abbreviations by comparing the real values. It is only called for entries with equal `first`.

/// An immutable ordered B+ tree with subtree counts: the structure of tables, indexes and live results.
///
/// A value: copies are O(1), share all nodes, and never see each other's edits. An edit changes nodes in place where
/// only this tree refers to them and copies the others, so it copies at most one path. Separators in inner nodes are
/// exactly the first key of their child (S3); keys ascend throughout (S1).
///
/// Proof of sendability: nodes are written to only while a single reference to them exists (S5), so everything that
/// two trees share is immutable; payloads are Sendable.
package struct Tree: @unchecked Sendable {
  package let layout: TreeLayout
  package internal(set) var root: Node?
  /// The `first` of the entry that the tree began with, from which `payload(first:)` guesses; only a hint.
  package var origin: UInt64 = 0

  package init(_ layout: TreeLayout) {
    self.layout = layout
  }

  init(_ layout: TreeLayout, root: Node?, origin: UInt64) {
    self.layout = layout
    self.root = root
    self.origin = origin
  }

  /// Number of entries.
  ///
  /// - Complexity: O(1), as the three below.
  package var count: Int {
    guard let root else { return 0 }
    return NodeView(root).total
  }

  package var isEmpty: Bool { root == nil }

  /// Levels of nodes: 0 when empty, 1 for a single leaf.
  package var height: Int {
    guard let root else { return 0 }
    return NodeView(root).height + 1
  }

  /// Whether both are the same version of the same tree; false implies nothing about their entries.
  package func isIdentical(to other: Tree) -> Bool { root === other.root }

  package mutating func removeAll() { root = nil }
}
