import LiveStore
import TestSupport

/// What one observer of a linked query has, and whether each event may follow it.
final class LinkedTracker<E: Social> {
  let queryCase: LinkedCase<E>
  /// Whether it asked for some properties alone.
  let isLimited: Bool
  private let choices: LinkedMoves
  /// The tables as they were when it received something last: of this the query's result is what it has.
  private(set) var held: ModelStore?
  /// The ids of the rows it has, where these are not the result of the tables.
  private(set) var members: Set<Int>?
  private(set) var version: Version?
  /// The results that it received last, unless its tables have moved on since.
  private var last: Results<E>?

  init(_ queryCase: LinkedCase<E>, isLimited: Bool = false, _ choices: LinkedMoves) {
    self.queryCase = queryCase
    self.isLimited = isLimited
    self.choices = choices
  }

  func begin(_ world: LinkedWorld, at version: Version) throws {
    rebase(try world.model(version))
    self.version = version
  }

  /// Has it hold other tables, as an observer that excludes origins does.
  ///
  /// - Parameter members: the ids of the rows it has; nil for those of the query's result in the tables.
  func rebase(_ model: ModelStore, members: Set<Int>? = nil) {
    (held, self.members, last) = (model, members, nil)
  }

  /// Whether there is something to deliver at a version.
  func pending(_ world: LinkedWorld, at version: Version? = nil) throws -> Bool {
    guard let held else { return true }
    let model = try world.model(version ?? world.version)
    if queryCase.mayRepeat {
      return !ExpectedListChange(queryCase, held, model, isLimited: isLimited).isEmpty
    }
    return !ExpectedLinkedChange(queryCase, held, members, model).isEmpty(isLimited)
  }

  func take(_ event: CollectionChange<E>, _ world: LinkedWorld, mayBeEmpty: Bool = false) throws {
    switch event {
    case .initial(let results):
      try require(held == nil, "a second .initial")
      try begin(world, at: results.version)
      let expected = queryCase.expectedRows(try world.model(results.version))
      try require(results.elementsEqual(expected), ".initial is \(Array(results)), not \(expected)")
      last = results
    case .update(let results, let change):
      guard let held, let version else { throw Mismatch(".update before .initial") }
      try require(results.version > version || mayBeEmpty, "version \(results.version) after \(version)")
      let model = try world.model(results.version)
      if queryCase.mayRepeat {
        try ExpectedListChange(queryCase, held, model, isLimited: isLimited)
          .check(change, mayBeEmpty: mayBeEmpty)
      } else {
        try ExpectedLinkedChange(queryCase, held, members, model)
          .check(change, isLimited: isLimited, mayBeEmpty: mayBeEmpty, choices)
      }
      try require(results.elementsEqual(queryCase.expectedRows(model)), "results are not current")
      if let last, !isLimited {
        // The same by the results alone; a change set may begin at a version in between, with the same rows.
        let again = last.changes(to: results)
        try require(
          "\(again)".drop { $0 != ":" } == "\(change)".drop { $0 != ":" },
          "changes(to:) says \(again), the observer received \(change)")
      }
      if mayBeEmpty && change.isEmpty && isLimited { return }
      try begin(world, at: results.version)
      last = results
    case .error(let error): throw Mismatch("\(error)")
    }
  }
}

/// Remembers which moves were chosen between two results: the choice depends on those alone.
final class LinkedMoves {
  private var chosen: [String: [Move<Int, Int>]] = [:]

  func check(_ moves: [Move<Int, Int>], _ situation: String) throws {
    if let earlier = chosen[situation], earlier != moves {
      throw Mismatch("other moves between the same results: \(moves) now, \(earlier) earlier, \(situation)")
    }
    chosen[situation] = moves
  }
}

/// What a change set must say, by brute force.
struct ExpectedLinkedChange<E: Social> {
  let queryCase: LinkedCase<E>
  let (before, after): (ModelStore, ModelStore)
  let previous: [E]
  let current: [E]
  let deletions: [Int]
  let insertions: [Int]
  /// Objects in both, by new index.
  let kept: [(old: Int, new: Int)]
  let moveCount: Int

  /// - Parameter members: the ids of the rows before, where these are not the result.
  init(_ queryCase: LinkedCase<E>, _ before: ModelStore, _ members: Set<Int>?, _ after: ModelStore) {
    self.queryCase = queryCase
    (self.before, self.after) = (before, after)
    let (previous, current) = (queryCase.expectedRows(before, members), queryCase.expectedRows(after))
    let old = Dictionary(uniqueKeysWithValues: previous.enumerated().map { ($1.id, $0) })
    let new = Set(current.map(\.id))
    (self.previous, self.current) = (previous, current)
    deletions = previous.indices.filter { !new.contains(previous[$0].id) }
    insertions = current.indices.filter { old[current[$0].id] == nil }
    kept = current.indices.compactMap { index in old[current[index].id].map { ($0, index) } }
    moveCount = kept.count - longestIncreasing(kept.map(\.old))
  }

  /// Own values or named linked values differ.
  private var modified: [(old: Int, new: Int)] {
    kept.filter {
      previous[$0.old] != current[$0.new]
        || queryCase.named(previous[$0.old], before) != queryCase.named(current[$0.new], after)
    }
  }

  private func modifications(_ isLimited: Bool) -> [(old: Int, new: Int)] {
    if !isLimited { return modified }
    return kept.filter {
      E.observed.values(previous[$0.old], before) != E.observed.values(current[$0.new], after)
    }
  }

  func isEmpty(_ isLimited: Bool) -> Bool {
    deletions.isEmpty && insertions.isEmpty && moveCount == 0 && modifications(isLimited).isEmpty
  }

  func check(
    _ changes: ChangeSet<E>, isLimited: Bool = false, mayBeEmpty: Bool = false, _ choices: LinkedMoves
  ) throws {
    try require(
      changes.previous.elementsEqual(previous),
      "previous of \(changes) is \(Array(changes.previous)), not \(previous)")
    try require(
      changes.current.elementsEqual(current),
      "current of \(changes) is \(Array(changes.current)), not \(current)")
    let modifications = modifications(isLimited)
    try require(mayBeEmpty || !changes.isEmpty, "an empty event: \(changes)")
    try require(changes.isEmpty == isEmpty(isLimited), "isEmpty of \(changes); modified \(modifications)")
    try require(changes.deletions == deletions, "deletions of \(changes), not \(deletions)")
    try require(changes.insertions == insertions, "insertions of \(changes), not \(insertions)")
    try require(
      changes.modifications.map(\.newIndex) == modifications.map(\.new)
        && changes.modifications.map(\.oldIndex) == modifications.map(\.old),
      "modifications of \(changes), not \(modifications)")
    for modification in changes.modifications {
      try check(modification, changes, isLimited)
    }
    try require(
      changes.moves.count == moveCount, "\(changes.moves.count) moves, not \(moveCount): \(changes)")
    try choices.check(
      changes.moves,
      "\(queryCase.text) \(previous.map(\.id)) → \(current.map(\.id)), modified \(modified.map { current[$0.new].id })"
    )
    try checkLaw(changes)
  }

  private func check(_ modification: Modification<E, Int>, _ changes: ChangeSet<E>, _ isLimited: Bool) throws
  {
    let (old, new) = (previous[modification.oldIndex], current[modification.newIndex])
    try require(modification.old == old && modification.new == new, "values of \(modification)")
    let (one, two) =
      isLimited
      ? (E.observed.linked(old, before), E.observed.linked(new, after))
      : (queryCase.named(old, before), queryCase.named(new, after))
    let linked = zip(one, two).filter { $0 != $1 }
    let reported = changes.properties(of: modification)
    let names = old.differences(from: new) + linked.map(\.0.name)
    try require(reported.map(\.name) == names, "properties \(reported), not \(names)")
    for (value, property) in zip(linked, reported.suffix(linked.count)) {
      try require(
        "\(property.old)".contains(value.0.value) && "\(property.new)".contains(value.1.value),
        "\(property), not \(value.0.value) → \(value.1.value)")
    }
  }

  private func checkLaw(_ changes: ChangeSet<E>) throws {
    var rows = previous.map(\.id)
    for index in (changes.deletions + changes.moves.map(\.from)).sorted(by: >) { rows.remove(at: index) }
    for index in (changes.insertions + changes.moves.map(\.to)).sorted() {
      try require(index <= rows.count, "the law cannot be applied: \(changes)")
      rows.insert(current[index].id, at: index)
    }
    try require(rows == current.map(\.id), "the law gives \(rows), not \(current.map(\.id)): \(changes)")
    for move in changes.moves {
      try require(
        previous[move.from].id == move.id && current[move.to].id == move.id, "a wrong move: \(changes)")
    }
  }
}
