package import LiveStore
import Synchronization

/// What a change set must say, found by brute force from the two arrays it stands between.
package struct ExpectedChange<Mode: Indexing> {
  package let previous: [Thing<Mode>]
  package let current: [Thing<Mode>]
  package let deletions: [Int]
  package let insertions: [Int]
  /// Old and new indices of the things on both sides whose value differs, by new index.
  package let modifications: [(old: Int, new: Int)]
  /// The fewest moves that explain the order.
  package let moveCount: Int

  package init(_ previous: [Thing<Mode>], _ current: [Thing<Mode>]) {
    let old = Dictionary(uniqueKeysWithValues: previous.enumerated().map { ($1.id, $0) })
    let new = Dictionary(uniqueKeysWithValues: current.enumerated().map { ($1.id, $0) })
    self.previous = previous
    self.current = current
    deletions = previous.indices.filter { new[previous[$0].id] == nil }
    insertions = current.indices.filter { old[current[$0].id] == nil }
    let kept = current.indices.compactMap { index in old[current[index].id].map { (old: $0, new: index) } }
    modifications = kept.filter { !previous[$0.old].isSame(as: current[$0.new]) }
    moveCount = kept.count - longestIncreasing(kept.map(\.old))
  }

  package var isEmpty: Bool {
    deletions.isEmpty && insertions.isEmpty && modifications.isEmpty && moveCount == 0
  }

  /// Whether there is nothing to deliver to an observer of some properties.
  package func isEmpty(for properties: Observed) -> Bool {
    deletions.isEmpty && insertions.isEmpty && moveCount == 0 && limited(to: properties).isEmpty
  }

  /// The modifications that an observer of some properties receives.
  package func limited(to properties: Observed) -> [(old: Int, new: Int)] {
    modifications.filter { properties.differ(previous[$0.old], current[$0.new]) }
  }
}

/// The length of the longest increasing subsequence of different numbers, by trying all predecessors.
package func longestIncreasing(_ numbers: [Int]) -> Int {
  if zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }) { return numbers.count }
  var lengths: [Int] = []
  for (index, number) in numbers.enumerated() {
    var best = 0
    for earlier in 0..<index where numbers[earlier] < number { best = max(best, lengths[earlier]) }
    lengths.append(best + 1)
  }
  return lengths.max() ?? 0
}

/// Which properties an observer asked for.
package enum Observed: Sendable {
  case all
  /// `rank`, `score` and `place.city`.
  case some

  package func differ<Mode: Indexing>(_ old: Thing<Mode>, _ new: Thing<Mode>) -> Bool {
    let names = old.differences(from: new)
    switch self {
    case .all: return !names.isEmpty
    case .some: return names.contains("rank") || names.contains("score") || old.place?.city != new.place?.city
    }
  }

  /// Whether a change of one object names the property.
  package func lists(_ name: String) -> Bool {
    switch self {
    case .all: true
    case .some: ["rank", "score", "place"].contains(name)
    }
  }

  package func paths<Mode: Indexing>(_: Mode.Type) -> RowPaths<Thing<Mode>>? {
    switch self {
    case .all: nil
    case .some: [\.rank, \.score, \.place.city]
    }
  }
}

/// Remembers which moves were chosen between two results, so that the choice can be held to be the same
/// whoever observed and however the results came about.
package final class MoveChoices: Sendable {
  private struct Situation: Hashable {
    var old: [Int]
    var new: [Int]
    var modified: [Int]
  }

  private let chosen = Mutex<[Situation: [Move<Int, Int>]]>([:])

  package init() {}

  package func check<Mode: Indexing>(_ moves: [Move<Int, Int>], _ expected: ExpectedChange<Mode>) throws {
    let situation = Situation(
      old: expected.previous.map(\.id), new: expected.current.map(\.id),
      modified: expected.modifications.map(\.new))
    let earlier = chosen.withLock { chosen in
      defer { if chosen[situation] == nil { chosen[situation] = moves } }
      return chosen[situation]
    }
    guard let earlier, earlier != moves else { return }
    throw Mismatch(
      """
      other moves between the same results: \(moves) now, \(earlier) earlier, from \(situation.old) to \
      \(situation.new), modified \(situation.modified.map { situation.new[$0] })
      """)
  }
}

/// Checks everything a change set promises.
///
/// - Parameter held: what the observer had; nil where that is unknown.
package func check<Mode: Indexing>(
  _ changes: ChangeSet<Thing<Mode>>, from held: [Thing<Mode>]?, to current: [Thing<Mode>],
  observed: Observed = .all,
  choices: MoveChoices, mayBeEmpty: Bool = false
) throws {
  let held = held ?? Array(changes.previous)
  try requireSame(changes.previous, held, "previous of \(changes)")
  try requireSame(changes.current, current, "current of \(changes)")
  let expected = ExpectedChange(held, current)
  try require(
    mayBeEmpty || !expected.isEmpty(for: observed), "an event without a change was delivered: \(changes)")
  try require(changes.isEmpty == expected.isEmpty(for: observed), "isEmpty of \(changes)")
  try require(changes.deletions == expected.deletions, "deletions of \(changes), not \(expected.deletions)")
  try require(
    changes.insertions == expected.insertions, "insertions of \(changes), not \(expected.insertions)")
  let modifications = expected.limited(to: observed)
  try require(
    changes.modifications.map(\.oldIndex) == modifications.map(\.old)
      && changes.modifications.map(\.newIndex) == modifications.map(\.new),
    "modifications of \(changes), not \(modifications)")
  for modification in changes.modifications {
    let (old, new) = (held[modification.oldIndex], current[modification.newIndex])
    try require(modification.id == new.id, "id of a modification in \(changes)")
    try require(modification.old.isSame(as: old), "old value \(modification.old), not \(old)")
    try require(modification.new.isSame(as: new), "new value \(modification.new), not \(new)")
    let names = new.differences(from: old)
    try require(
      changes.properties(of: modification).map(\.name) == names,
      "properties \(changes.properties(of: modification)), not \(names)")
    try require((modification[\.rank] != nil) == names.contains("rank"), "modification[\\.rank]")
    try require((modification[\.score] != nil) == names.contains("score"), "modification[\\.score]")
  }
  try require(
    changes.moves.count == expected.moveCount,
    "\(changes.moves.count) moves, not \(expected.moveCount): \(changes)")
  try require(isAscending(changes.moves.map(\.to)), "moves do not ascend: \(changes)")
  for move in changes.moves {
    try require(
      held.indices.contains(move.from) && current.indices.contains(move.to) && held[move.from].id == move.id
        && current[move.to].id == move.id, "a move of the wrong object: \(changes)")
  }
  try checkLaw(changes, observed)
  try checkForms(changes)
  try choices.check(changes.moves, expected)
}

private func isAscending(_ numbers: [Int]) -> Bool {
  zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
}

/// The law: out with deletions and moves, in with insertions and moves, then modifications.
private func checkLaw<Mode: Indexing>(_ changes: ChangeSet<Thing<Mode>>, _ observed: Observed) throws {
  var rows = Array(changes.previous)
  let old = rows
  let current = Array(changes.current)
  for index in (changes.deletions + changes.moves.map(\.from)).sorted(by: >) { rows.remove(at: index) }
  let arrivals =
    changes.insertions.map { ($0, current[$0]) } + changes.moves.map { ($0.to, old[$0.from]) }
  for (index, thing) in arrivals.sorted(by: { $0.0 < $1.0 }) {
    try require(index <= rows.count, "the law cannot be applied: \(changes)")
    rows.insert(thing, at: index)
  }
  for modification in changes.modifications { rows[modification.newIndex] = modification.new }
  let holds = rows.elementsEqual(current) { $0.id == $1.id && !observed.differ($0, $1) }
  try require(holds, "the law gives \(rows), not \(current), by \(changes)")
}

/// `batchUpdates` as a table view would take them, `difference` and `reversed`.
private func checkForms<Mode: Indexing>(_ changes: ChangeSet<Thing<Mode>>) throws {
  let (oldIDs, newIDs) = (changes.previous.map(\.id), changes.current.map(\.id))
  let batch = changes.batchUpdates
  for indices in [batch.deletions, batch.insertions, batch.modifications, batch.modificationsNew] {
    try require(isAscending(indices), "batchUpdates do not ascend: \(batch)")
  }
  try require(
    batch.deletions == (changes.deletions + changes.moves.map(\.from)).sorted(), "deletions of \(batch)")
  try require(
    batch.insertions == (changes.insertions + changes.moves.map(\.to)).sorted(), "insertions of \(batch)")
  var ids = oldIDs
  for index in batch.deletions.reversed() { ids.remove(at: index) }
  for index in batch.insertions { ids.insert(newIDs[index], at: index) }
  try require(ids == newIDs, "batchUpdates give \(ids), not \(newIDs): \(batch)")
  let moved = Set(changes.moves.map(\.id))
  let staying = changes.modifications.filter { !moved.contains($0.id) }
  try require(
    batch.modifications == staying.map(\.oldIndex) && batch.modificationsNew == staying.map(\.newIndex),
    "modifications of \(batch), not those of \(changes)")

  let difference = changes.difference
  try require(
    Array(oldIDs).applying(difference) == Array(newIDs),
    "difference does not lead to \(newIDs): \(difference)")
  let associated = difference.removals.filter {
    if case .remove(_, _, let other) = $0 { other != nil } else { false }
  }
  try require(associated.count == changes.moves.count, "moves are not associated: \(difference)")

  let back = changes.reversed
  try require(
    back.deletions == changes.insertions && back.insertions == changes.deletions,
    "reversed of \(changes): \(back)")
  try require(back.moves.count == changes.moves.count, "moves of reversed: \(changes), \(back)")
  try require(
    back.modifications.map(\.id).sorted() == changes.modifications.map(\.id).sorted(),
    "modifications of reversed: \(changes), \(back)")
  try require(
    back.modifications.allSatisfy { oldIDs[$0.newIndex] == $0.id && newIDs[$0.oldIndex] == $0.id },
    "indices of reversed modifications: \(back)")
  try require(!changes.description.isEmpty, "no description")
}

/// Whether two change sets say the same.
package func requireEqual<Mode: Indexing>(
  _ one: ChangeSet<Thing<Mode>>, _ other: ChangeSet<Thing<Mode>>, _ what: String
) throws {
  let isEqual =
    one.deletions == other.deletions && one.insertions == other.insertions && one.moves == other.moves
    && one.modifications.map(\.oldIndex) == other.modifications.map(\.oldIndex)
    && one.modifications.map(\.newIndex) == other.modifications.map(\.newIndex)
  try require(isEqual, "\(what): \(one) and \(other)")
}
