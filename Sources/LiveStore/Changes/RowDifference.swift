// Change sets.
//
// The difference of two trees lists the d entries that are not shared. Two entries of one row, or else of one
// id (deleted and inserted again), are a retained row; the rest are deletions and insertions. The untouched
// rows between them kept their order, so they fall into at most 2d + 1 runs. The moves are the rows outside a
// heaviest increasing subsequence of changed rows and runs. See `RowDifference.swift` and `MoveFinder.swift`.
//
// - **C1** Deletions and moves out, insertions and moves in, modifications replaced: previous becomes
//   current.
// - **C2** Deletions and insertions are by identity (id), never the same object in both.
// - **C3** The moves are the fewest that explain the order. Among equal choices unmodified rows stay, then
//   the chain whose rows are last in the new order.
// - **C4** The choice depends on the two results alone: a run's rows are neighbours in both results, so
//   every longest subsequence of rows contains all of a run or none of it, however the runs are cut. So
//   combining two change sets is the difference of the outer results.
// - **C5** Entries of a list that name one object and have no common label may be paired in any way. They
//   are paired so that the most rows stay, by the same subsequence over all possible pairs
//   (`RepeatedEntries`). If there are more than 16 pairs for each entry, the first is paired with the
//   first.
// - **C6** Row numbers and stamps are valid in one store only, whose catalogs share an identity. Results of
//   two stores, such as a store and its copy, are paired by id and compared by value, in O(*m*).

/// The difference between two results, in positions, before objects are compared (C1).
///
/// The difference of the two trees lists the d entries that are not shared. Two entries of one row are one retained
/// row, and so are two entries of one id (a row deleted and inserted again). The rest are deletions and
/// insertions (C2). All other rows, the untouched ones, kept their order, so the positions of changed rows
/// divide them into at most 2d + 1 runs.
///
/// Moves are the rows outside a heaviest increasing subsequence of changed rows and runs, by old position in new
/// order. A run's rows are neighbours in both results, so every longest subsequence of single rows contains all of a
/// run or none of it. Hence the choice among equal subsequences can be defined without runs: unmodified rows first,
/// then the chain whose rows are last in the new order. So the moves depend on the two results alone, not on the
/// commits between them (C4).
package struct RowDifference {
  package struct Retained {
    package var oldPosition: Int
    package var newPosition: Int
  }

  /// Positions in the old result, ascending.
  package private(set) var deletions: [Int] = []
  /// Positions in the new result, ascending.
  package private(set) var insertions: [Int] = []
  /// Rows on both sides that may differ in value, by new position.
  package private(set) var changed: [Retained] = []
  /// Rows on both sides that moved, by new position.
  package private(set) var moves: [Retained] = []
}

extension RowDifference {
  /// - Parameter info: the entity of both sides.
  /// - Complexity: O(*d* log *d* + *d* log *m*) for *d* differences between results of *m* rows; results of
  ///   queries with different orders differ in all rows.
  package init(from old: ResultSide, to new: ResultSide, _ info: EntityInfo) {
    let entries = Self.entries(from: old, to: new)
    if entries.removed.isEmpty && entries.added.isEmpty { return }
    let oldPositions = entries.removed.map { $0.rank - old.window.ranks.lowerBound }
    let newPositions = entries.added.map { $0.rank - new.window.ranks.lowerBound }
    func isModified(_ pair: (old: Int, new: Int)) -> Bool {
      let (before, after) = (old.object(entries.removed[pair.old]), new.object(entries.added[pair.new]))
      return !info.isSame(before, after)
        || new.window.linked.differ(before, old.context, after, new.context)
    }
    let partner = Self.pair(entries.removed, entries.added, old, new, info) { pairs in
      MoveFinder(oldPositions: oldPositions, newPositions: newPositions, pairs: pairs)
        .staying(isModified: isModified)
    }
    var isRetained = [Bool](repeating: false, count: oldPositions.count)
    var pairs: [(old: Int, new: Int)] = []
    for (index, match) in partner.enumerated() {
      if let match {
        isRetained[match] = true
        pairs.append((match, index))
        changed.append(Retained(oldPosition: oldPositions[match], newPosition: newPositions[index]))
      } else {
        insertions.append(newPositions[index])
      }
    }
    deletions = oldPositions.indices.lazy.filter { !isRetained[$0] }.map { oldPositions[$0] }
    guard !pairs.isEmpty else { return }
    let finder = MoveFinder(oldPositions: oldPositions, newPositions: newPositions, pairs: pairs)
    if finder.isInOrder { return }
    moves = finder.moves(isModified: isModified)
  }

  /// Whether row numbers and stamps mean the same on both sides (C6).
  private static func areComparable(_ old: ResultSide, _ new: ResultSide) -> Bool {
    !old.state.isProvisional && !new.state.isProvisional
      && old.state.catalog.isOfOneStore(with: new.state.catalog)
  }

  /// The entries that the two trees do not share; all entries if the trees have different orders, or if stamps do not
  /// identify values.
  private static func entries(
    from old: ResultSide, to new: ResultSide
  ) -> (removed: [TreeDifference.Entry], added: [TreeDifference.Entry]) {
    let order = new.window.order
    guard old.window.tree.layout === new.window.tree.layout, old.window.order == order,
      Self.areComparable(old, new)
    else {
      return (old.window.entries, new.window.entries)
    }
    let difference = Tree.difference(
      from: old.window.tree, in: old.window.ranks, to: new.window.tree, in: new.window.ranks
    ) { before, after in
      let result =
        order.isExact
        ? 0
        : order.compare(
          old.object(old.window.row(before.second)), old.context, new.object(new.window.row(after.second)),
          new.context)
      if result != 0 { return result }
      return ListPositions.compare(before.second, old.window.positions, after.second, new.window.positions)
    }
    return (difference.removed, difference.added)
  }

  /// For each added row the removed row of the same object, by row number or else by id; for entries of lists, first
  /// by label. Entries of one object without a common label may be paired in any way: they are paired so that the
  /// most rows stay (C5).
  ///
  /// - Parameter staying: chooses pairs so that the most rows stay; each entry is in one pair at most.
  private static func pair(
    _ removed: [TreeDifference.Entry], _ added: [TreeDifference.Entry], _ old: ResultSide, _ new: ResultSide,
    _ info: EntityInfo, staying: ([(old: Int, new: Int)]) -> [(old: Int, new: Int)]
  ) -> [Int?] {
    if removed.isEmpty || added.isEmpty { return added.map { _ in nil } }
    func isSame(_ before: Int, _ after: Int) -> Bool {
      info.ids.isSame(old.object(removed[before]), new.object(added[after]))
    }
    let (before, after) = (removed.map { old.window.name($0.key) }, added.map { new.window.name($0.key) })
    // A label may be reused for another object, and so may a row number inside a transaction or in another store.
    let isCertain = !new.window.tree.layout.areOccurrences && areComparable(old, new)
    if isCertain && before == after { return before.indices.map { $0 } }
    let indices = Dictionary(zip(before, before.indices), uniquingKeysWith: { first, _ in first })
    var partner = after.indices.map { index in
      indices[after[index]].flatMap { isCertain || isSame($0, index) ? $0 : nil }
    }
    guard partner.contains(nil), partner.count(where: { $0 != nil }) < removed.count else { return partner }
    let taken = Set(partner.compactMap { $0 })
    var groups = RepeatedEntries(info.ids)
    for index in removed.indices where !taken.contains(index) {
      groups.add(old: index, old.object(removed[index]))
    }
    for index in added.indices where partner[index] == nil {
      groups.add(new: index, new.object(added[index]))
    }
    let certain = partner.indices.compactMap { new in partner[new].map { (old: $0, new: new) } }
    // With more candidates, the first entry is paired with the first, the second with the second.
    if groups.areAmbiguous && groups.candidateCount <= 16 * (removed.count + added.count) {
      let candidates = (certain + groups.candidates).sorted { ($0.new, $1.old) < ($1.new, $0.old) }
      for pair in staying(candidates) where partner[pair.new] == nil {
        partner[pair.new] = pair.old
        groups.remove(pair)
      }
    }
    for pair in groups.pairsInOrder { partner[pair.new] = pair.old }
    return partner
  }
}

extension ResultSide {
  fileprivate func object(_ entry: TreeDifference.Entry) -> UnsafeRawPointer {
    object(window.rowNumber(entry.key))
  }
}
