extension Modification {
  /// A modification of an object outside any store.
  package init(_ old: Element, at oldIndex: Index, to new: Element, at newIndex: Index) {
    self.init(oldIndex: oldIndex, newIndex: newIndex, old: old, new: new, linked: [])
  }
}

extension Move {
  /// A move of an object outside any store.
  package init(_ id: ID, _ from: Index, _ to: Index) { self.init(id: id, from: from, to: to) }
}

extension Schema {
  /// Whether two objects are equal for a store.
  package func isSame(_ lhs: Element, _ rhs: Element) -> Bool {
    if let isSameObject { return isSameObject(lhs, rhs) }
    return withObjects(lhs, rhs) { lhs, rhs in
      definitions.allSatisfy { definition in
        definition.functions?.isSame(lhs, rhs) ?? true
          && definition.links.allSatisfy { !$0.isNested || $0.isSame(lhs, rhs) }
      }
    }
  }
}

/// The fewest moves that explain the new order of the elements that two arrays share, by new index.
///
/// - Parameters:
///   - retained: the indices of the elements in both, by new index.
///   - oldCount: the number of elements before.
///   - newCount: the number of elements now.
///   - isModified: whether an element's value differs. Unmodified elements stay in place first.
/// - Complexity: O(*n* log *n*).
package func fewestMoves(
  of retained: [(old: Int, new: Int)], from oldCount: Int, to newCount: Int,
  isModified: ((old: Int, new: Int)) -> Bool
) -> [(old: Int, new: Int)] {
  // All elements are treated as changed rows, so there are no runs between them.
  let finder = MoveFinder(
    oldPositions: Array(0..<oldCount), newPositions: Array(0..<newCount), pairs: retained)
  return finder.isInOrder ? [] : finder.moves(isModified: isModified).map { ($0.oldPosition, $0.newPosition) }
}
