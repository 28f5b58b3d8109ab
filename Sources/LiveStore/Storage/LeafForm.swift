/// Whether each entry of a leaf has a key and a payload of its own (S7).
package enum LeafForm {
  /// Each entry has both. The form of every leaf that is edited, and of every inner node.
  case plain
  /// Values under consecutive numbers, all of one stamp: the leaf has the first key alone.
  case run
  /// Keys that all have one stamp, which the leaf stores once.
  case oneStamp
}
