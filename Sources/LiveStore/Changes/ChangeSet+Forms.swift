extension ChangeSet {
  /// The change in the form of `UITableView.performBatchUpdates` and of Realm: a move is a deletion and an
  /// insertion.
  public struct BatchUpdates: Hashable, Sendable {
    /// Indices before the change, including moved objects; ascending.
    public var deletions: [Int]
    /// Indices after the change, including moved objects; ascending.
    public var insertions: [Int]
    /// Indices before the change of objects modified in place, ascending.
    public var modifications: [Int]
    /// The indices of the same objects after the change, ascending.
    public var modificationsNew: [Int]
  }

  /// Old and new index arrays for views that update row by row.
  ///
  /// - Complexity: O(*d* log *d*) for *d* changes.
  public var batchUpdates: BatchUpdates {
    let moved = Set(moves.map(\.to))
    let inPlace = modifications.filter { !moved.contains($0.newIndex) }
    return BatchUpdates(
      deletions: (deletions + moves.map(\.from)).sorted(),
      insertions: (insertions + moves.map(\.to)).sorted(),
      modifications: inPlace.map(\.oldIndex).sorted(), modificationsNew: inPlace.map(\.newIndex))
  }

  /// The change of the ids as a `CollectionDifference`, with moves associated.
  ///
  /// Applied to the ids of `previous`, it gives the ids of `current`. Modifications are not part of it.
  public var difference: CollectionDifference<Element.ID> {
    var changes: [CollectionDifference<Element.ID>.Change] = []
    for index in deletions {
      changes.append(.remove(offset: index, element: previous[index].id, associatedWith: nil))
    }
    for index in insertions {
      changes.append(.insert(offset: index, element: current[index].id, associatedWith: nil))
    }
    for move in moves {
      changes.append(.remove(offset: move.from, element: move.id, associatedWith: move.to))
      changes.append(.insert(offset: move.to, element: move.id, associatedWith: move.from))
    }
    guard let difference = CollectionDifference(changes) else {
      preconditionFailure("a change set names each index once and associates moves both ways")
    }
    return difference
  }
}

extension Results {
  /// The change set from these results to others of the same query, at any two versions.
  ///
  /// - Complexity: O(*d* log *m*) for *d* differences if the two share structure, as results of one observation do;
  ///   O(*m*) if they were fetched separately or come from two stores.
  public func changes(to other: Results) -> ChangeSet<Element> { ChangeSet(from: self, to: other) }
}
