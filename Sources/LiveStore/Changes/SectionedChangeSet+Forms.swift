extension SectionedChangeSet {
  /// The change in the form of `UITableView.performBatchUpdates` and of Realm: a move is a deletion and an
  /// insertion, and rows of deleted and inserted sections are not listed.
  public struct BatchUpdates: Hashable, Sendable {
    /// Indices before the change, ascending.
    public var sectionDeletions: [Int]
    /// Indices after the change, ascending.
    public var sectionInsertions: [Int]
    /// Positions before the change, including moved objects, except in deleted sections; ascending.
    public var deletions: [SectionPosition]
    /// Positions after the change, including moved objects, except in inserted sections; ascending.
    public var insertions: [SectionPosition]
    /// Positions before the change of objects modified in place, by new position.
    public var modifications: [SectionPosition]
    /// The positions of the same objects after the change, ascending.
    public var modificationsNew: [SectionPosition]
  }

  /// Positions for views that update section by section and row by row.
  ///
  /// - Complexity: O(*d* log *d*) for *d* changes.
  public var batchUpdates: BatchUpdates {
    let (deleted, inserted) = (Set(sectionDeletions), Set(sectionInsertions))
    let moved = Set(moves.map(\.to))
    let inPlace = modifications.filter { !moved.contains($0.newIndex) }
    return BatchUpdates(
      sectionDeletions: sectionDeletions, sectionInsertions: sectionInsertions,
      deletions: (deletions + moves.map(\.from)).filter { !deleted.contains($0.section) }.sorted(),
      insertions: (insertions + moves.map(\.to)).filter { !inserted.contains($0.section) }.sorted(),
      modifications: inPlace.map(\.oldIndex), modificationsNew: inPlace.map(\.newIndex))
  }
}

extension SectionedChangeSet: CustomStringConvertible {
  /// The versions, and all sections and positions.
  public var description: String {
    var parts: [String] = []
    if !sectionDeletions.isEmpty { parts.append("deleted sections \(sectionDeletions)") }
    if !sectionInsertions.isEmpty { parts.append("inserted sections \(sectionInsertions)") }
    if !deletions.isEmpty { parts.append("deleted \(deletions)") }
    if !insertions.isEmpty { parts.append("inserted \(insertions)") }
    if !modifications.isEmpty {
      parts.append(
        "modified [\(modifications.map { "\($0.oldIndex)→\($0.newIndex)" }.joined(separator: ", "))]")
    }
    if !moves.isEmpty {
      parts.append("moved [\(moves.map { "\($0.from)→\($0.to)" }.joined(separator: ", "))]")
    }
    let changes = parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
    return "\(Element.self) \(previous.version)→\(current.version): \(changes)"
  }
}
