// Inverted indexes.
//
// Inverted indexes list a row under several hashes: of the ids that it links to, for every relation, and of a
// property's elements, where the schema asks for it (`Property(\.tags, .indexedElements)`). Both kinds share
// one implementation (`InvertedIndex`, `TableState.inverted`), numbered with the links first. `contains` has
// the element's hash as its only candidate, for the planner and for the router.
//
// - **I1** A row is listed once under the hash of each of its elements, however often an element occurs,
//   and under no other hash. `TableState._checkInvariants` compares with a rebuild.
// - **I2** Elements of equal hashes are listed together. An element that equals none, such as NaN, is
//   listed, too. The filter is always tested again (Q1), so the result equals a scan's.
// - **I3** An edit changes only the entries of elements that were added or removed. A property that counts
//   as the same is skipped if that implies the same hashes: for elements of the standard library or
//   Foundation that hold no NaN. All others are hashed again, since one NaN counts as the same as another
//   and has another hash.
// - **I4** A row may be listed under several of the hashes that alternatives look for, and is visited once.
//   Rows are visited in insertion order.
// - **I5** Hashes of elements and of whole values are never mixed: `$0.tags == ["a"]` has the hash of the
//   array, for a value index, and `$0.tags.contains("a") || $0.tags == ["b"]` has no candidates.

/// An index that lists a row under several hashes: of the ids it links to, of the elements of a property, or
/// of the words of its text.
///
/// Its tree has one entry for each pair of a hash and a row (I1, R1). Equal hashes share entries, so a listed
/// row is only a candidate (I2, R2).
package protocol InvertedIndex: AnyObject, Sendable {
  /// The name in messages: `author`, `tags`.
  var name: String { get }
  var path: Term { get }
  /// What it lists, for plans: `links`, `elements` or `words`.
  var kind: String { get }
  /// The hashes of an object. A hash may occur twice. The order is such that most edits leave both ends unchanged.
  func hashes(_ object: UnsafeRawPointer) -> [UInt64]
  /// Whether two objects are known to be listed under the same hashes, without hashing (I3).
  func isListedAlike(_ lhs: UnsafeRawPointer, _ rhs: UnsafeRawPointer) -> Bool
}

extension InvertedIndex {
  /// The hashes that an edit removes from an object, and those that it adds (R3).
  ///
  /// - Complexity: O(1) when the property did not change, else O(*k*) for *k* hashes.
  func difference(
    from old: UnsafeRawPointer, to new: UnsafeRawPointer
  ) -> (removed: Set<UInt64>, added: Set<UInt64>) {
    if isListedAlike(old, new) { return ([], []) }
    let (before, after) = (hashes(old), hashes(new))
    // Most edits leave both ends of a list unchanged.
    let ends = commonEnds(before, after)
    let (oldMiddle, newMiddle) = (
      Set(before[ends.head..<before.count - ends.tail]), Set(after[ends.head..<after.count - ends.tail])
    )
    var removed = oldMiddle.subtracting(newMiddle)
    var added = newMiddle.subtracting(oldMiddle)
    for index in before.indices
    where !(removed.isEmpty && added.isEmpty) && (index < ends.head || index >= before.count - ends.tail) {
      removed.remove(before[index])
      added.remove(before[index])
    }
    return (removed, added)
  }
}
