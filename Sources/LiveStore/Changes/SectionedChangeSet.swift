/// What changed in a query's sections between two versions.
///
/// It is exact. Remove from `previous` the rows at `deletions` and at the `from` of `moves`, then the sections at
/// `sectionDeletions`, which are then empty. Insert empty sections at `sectionInsertions`, then the rows at
/// `insertions` and at the `to` of `moves`, then replace the `modifications`: the result is `current`.
///
/// So rows of deleted and inserted sections are listed, too; ``batchUpdates`` is the form without them. A section
/// with an included key is in both results, with or without rows.
public struct SectionedChangeSet<Element: Entity, Key: Hashable & Sendable>: Sendable {
  /// The sections that the observer received before.
  public let previous: SectionedResults<Element, Key>
  /// The sections now.
  public let current: SectionedResults<Element, Key>
  /// Indices in `previous` of sections that are not in `current`, ascending.
  public private(set) var sectionDeletions: [Int] = []
  /// Indices in `current` of sections that were not in `previous`, ascending.
  public private(set) var sectionInsertions: [Int] = []
  /// Positions in `previous` of objects that are not in `current`, ascending.
  public private(set) var deletions: [SectionPosition] = []
  /// Positions in `current` of objects that were not in `previous`, ascending.
  public private(set) var insertions: [SectionPosition] = []
  /// Objects in both whose value differs, by new position.
  public private(set) var modifications: [Modification<Element, SectionPosition>] = []
  /// Objects that moved to another section, and for each section the fewest moves that explain its new order; by
  /// `to`.
  public private(set) var moves: [Move<Element.ID, SectionPosition>] = []

  /// Whether nothing changed; such a change set is never delivered.
  public var isEmpty: Bool {
    deletions.isEmpty && insertions.isEmpty && modifications.isEmpty && moves.isEmpty
      && sectionDeletions.isEmpty && sectionInsertions.isEmpty
  }
}

// MARK: Making it

extension SectionedChangeSet {
  /// The difference of two results of one sectioned query.
  ///
  /// - Complexity: O(*d* log *d* + *d* log *m*) for *d* differences; unchanged sections cost nothing (G6).
  init(from previous: SectionedResults<Element, Key>, to current: SectionedResults<Element, Key>) {
    self.previous = previous
    self.current = current
    let (old, new) = (previous.results, current.results)
    guard let info = new.info ?? old.info else { return }
    let sections = ChangeSet(from: previous.groups, to: current.groups)
    sectionDeletions = previous.sections(notIn: current, groups: sections.deletions)
    sectionInsertions = current.sections(notIn: previous, groups: sections.insertions)
    let (oldSide, newSide) = (ResultSide(old.state, old.window), ResultSide(new.state, new.window))
    let rows = RowDifference(from: oldSide, to: newSide, info)
    var (before, after) = (SectionFinder(previous), SectionFinder(current))
    deletions = rows.deletions.map { before.position(at: $0) }
    insertions = rows.insertions.map { after.position(at: $0) }
    let retained = rows.changed.map { row in
      Retained(old: before.position(at: row.oldPosition), new: after.position(at: row.newPosition))
    }
    for (row, positions) in zip(rows.changed, retained) {
      let (one, other) = (oldSide.object(at: row.oldPosition), newSide.object(at: row.newPosition))
      let linked = new.window.linked.compactMap { $0.change(one, oldSide.context, other, newSide.context) }
      if linked.isEmpty && info.isSame(one, other) { continue }
      modifications.append(
        Modification(
          oldIndex: positions.old, newIndex: positions.new, old: old[row.oldPosition],
          new: new[row.newPosition], linked: linked))
    }
    moves = moves(retained, &before, &after)
  }

  /// An object on both sides that may differ.
  private struct Retained {
    let old: SectionPosition
    let new: SectionPosition
  }

  /// The changed rows of a section that is on both sides: their positions.
  private struct Part {
    var old: [Int] = []
    var new: [Int] = []
    /// The rows that stayed in the section.
    var staying: [(old: Int, new: Int)] = []
  }

  private func moves(
    _ retained: [Retained], _ before: inout SectionFinder<Element, Key>,
    _ after: inout SectionFinder<Element, Key>
  ) -> [Move<Element.ID, SectionPosition>] {
    var moves: [Move<Element.ID, SectionPosition>] = []
    // By new index. No row is left in a deleted section.
    var parts: [Int: Part] = [:]
    var oldIndex: [Int: Int] = [:]
    for positions in retained {
      let key = after.key(positions.new.section)
      guard previous.isSame(before.key(positions.old.section), key) else {
        if let move = move(positions.old, positions.new) { moves.append(move) }
        continue
      }
      parts[positions.new.section, default: Part()].staying.append((positions.old.row, positions.new.row))
      oldIndex[positions.old.section] = positions.new.section
    }
    if parts.isEmpty { return moves.sorted { $0.to < $1.to } }
    for position in deletions + retained.map(\.old) {
      if let section = oldIndex[position.section] { parts[section]?.old.append(position.row) }
    }
    for position in insertions + retained.map(\.new) { parts[position.section]?.new.append(position.row) }
    let newIndex = Dictionary(oldIndex.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    let modified = Set(modifications.map(\.newIndex))
    for (section, part) in parts {
      guard let oldSection = newIndex[section] else { continue }
      for row in rowMoves(part, isModified: { modified.contains(SectionPosition(section: section, row: $0)) })
      {
        let from = SectionPosition(section: oldSection, row: row.oldPosition)
        if let move = move(from, SectionPosition(section: section, row: row.newPosition)) {
          moves.append(move)
        }
      }
    }
    return moves.sorted { $0.to < $1.to }
  }

  private func rowMoves(_ part: Part, isModified: (Int) -> Bool) -> [RowDifference.Retained] {
    let (old, new) = (part.old.sorted(), part.new.sorted())
    let oldIndex = Dictionary(zip(old, old.indices), uniquingKeysWith: { first, _ in first })
    let newIndex = Dictionary(zip(new, new.indices), uniquingKeysWith: { first, _ in first })
    let pairs = part.staying.sorted { $0.new < $1.new }.compactMap { pair -> (old: Int, new: Int)? in
      guard let old = oldIndex[pair.old], let new = newIndex[pair.new] else { return nil }
      return (old, new)
    }
    let finder = MoveFinder(oldPositions: old, newPositions: new, pairs: pairs)
    return finder.isInOrder ? [] : finder.moves { isModified(new[$0.new]) }
  }

  /// Nil where a key is inconsistent and leads to no row.
  private func move(_ from: SectionPosition, _ to: SectionPosition) -> Move<Element.ID, SectionPosition>? {
    guard current.indices.contains(to.section) else { return nil }
    let index = current.index(of: to)
    guard current.results.indices.contains(index) else { return nil }
    return Move(id: current.results[index].id, from: from, to: to)
  }

  /// The change set from `current` back to `previous`.
  public var reversed: SectionedChangeSet { SectionedChangeSet(from: current, to: previous) }

  /// This change set and the next one combined.
  public func followed(by next: SectionedChangeSet) -> SectionedChangeSet {
    SectionedChangeSet(from: previous, to: next.current)
  }
}

/// Finds the positions of rows, and caches where sections begin.
private struct SectionFinder<Element: Entity, Key: Hashable & Sendable> {
  private let sections: SectionedResults<Element, Key>
  private var known: [Int: (start: Int, key: Key)] = [:]

  init(_ sections: SectionedResults<Element, Key>) { self.sections = sections }

  mutating func position(at index: Int) -> SectionPosition {
    guard let section = sections.firstIndex(key: sections.key(at: index)) else {
      return sections.position(at: index)
    }
    return SectionPosition(section: section, row: max(0, index - find(section).start))
  }

  mutating func key(_ section: Int) -> Key { find(section).key }

  private mutating func find(_ section: Int) -> (start: Int, key: Key) {
    if let found = known[section] { return found }
    let key = sections.key(ofSection: section)
    let found = (sections.start(of: key), key)
    known[section] = found
    return found
  }
}
