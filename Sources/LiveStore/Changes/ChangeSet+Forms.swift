extension ChangeSet {
  /// The change in the form of `UITableView.performBatchUpdates` and of Realm: a move is a deletion and an
  /// insertion.
  public struct BatchUpdates: Hashable, Sendable {
    /// Indices before the change, ascending; moved objects included.
    public var deletions: [Int]
    /// Indices after the change, ascending; moved objects included.
    public var insertions: [Int]
    /// Indices before the change of the objects modified in their place, ascending.
    public var modifications: [Int]
    /// The same objects' indices after the change, ascending.
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

  /// The change of the ids as the standard library writes differences, with moves associated.
  ///
  /// Applied to the ids of `previous` it gives those of `current`; modifications do not show.
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
  /// What leads from these results to others of the same query, at any two versions.
  ///
  /// - Complexity: O(*d* log *m*) for *d* differences where the two share structure, as results of one
  ///   observation do; O(*m*) where they were fetched one by one, or are of two stores.
  public func changes(to other: Results) -> ChangeSet<Element> { ChangeSet(from: self, to: other) }
}
