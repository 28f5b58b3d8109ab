import LiveStore

/// The laws of change sets, by brute force.
enum Laws {
  typealias MakeEntry<Element> = @Sendable (Element) -> Answer.Entry

  /// An event of a query. `names` are the listed properties, nil where modifications are limited.
  static func heard<Element: Entity>(
    _ change: CollectionChange<Element>, isList: Bool, names: [String]?, _ entry: @escaping MakeEntry<Element>
  ) -> Heard {
    switch change {
    case .initial(let results):
      return .initial(Answer(entries: results.map(entry)), version: results.version.number)
    case .update(let results, let changes):
      return .update(
        old: Answer(entries: changes.previous.map(entry)), new: Answer(entries: changes.current.map(entry)),
        version: results.version.number
      ) { old, new, isExact in
        if results.version != changes.current.version { return "the results are not those of the change set" }
        if changes.previous.version > changes.current.version { return "versions go down" }
        return complaint(changes, old, new, isList: isList, names: names, isExact: isExact, entry)
      }
    case .error(let error): return .error(error)
    }
  }

  /// What is wrong with a change set between two answers.
  static func complaint<Element: Entity>(
    _ changes: ChangeSet<Element>, _ old: Answer, _ new: Answer, isList: Bool, names: [String]?,
    mayBeEmpty: Bool = false, isExact: Bool = true, _ entry: MakeEntry<Element>
  ) -> String? {
    let before = old.entries
    var after = new.entries
    if changes.isEmpty, !mayBeEmpty { return "an empty change set" }
    if changes.isEmpty
      != (changes.deletions.isEmpty && changes.insertions.isEmpty && changes.modifications.isEmpty
        && changes.moves.isEmpty)
    {
      return "isEmpty is \(changes.isEmpty)"
    }
    if let complaint = replay(changes, before, after, isPartial: names == nil, entry) { return complaint }
    // Who is who in a list that was replaced is not laid down.
    let isKnown = isExact && (!isList || old.mark == new.mark && pair(&after, with: before))
    if isKnown {
      if let complaint = exact(changes, before, after, names: names, entry) { return complaint }
    }
    if let complaint = batches(changes) { return complaint }
    let ids = before.map(\.id)
    let applied = Array(changes.previous.ids).applying(changes.difference)?.map { $0 } ?? []
    if applied.count != after.count
      || !zip(applied, changes.current.ids).allSatisfy({ $0 == $1 || ($0 != $0 && $1 != $1) })
    {
      return "difference does not lead from the old ids \(ids) to the new ones"
    }
    let reversed = changes.reversed
    // Such entries may be paired otherwise on the way back.
    if isKnown
      && (reversed.deletions != changes.insertions || reversed.insertions != changes.deletions
        || reversed.modifications.map(\.newIndex) != changes.modifications.map(\.oldIndex).sorted()
        || reversed.moves.count != changes.moves.count)
    {
      return "reversed is not the reverse: \(reversed)"
    }
    return replay(reversed, after, before, isPartial: names == nil, entry).map { "reversed: \($0)" }
  }

  /// The law of replay, with all indices ascending and within bounds.
  private static func replay<Element: Entity>(
    _ changes: ChangeSet<Element>, _ before: [Answer.Entry], _ after: [Answer.Entry], isPartial: Bool,
    _ entry: MakeEntry<Element>
  ) -> String? {
    let (deletions, insertions, moves) = (changes.deletions, changes.insertions, changes.moves)
    for indices in [deletions, insertions, moves.map(\.to), changes.modifications.map(\.newIndex)] {
      if indices != Array(Set(indices)).sorted() { return "indices are not ascending: \(indices)" }
    }
    let leaving = Set(deletions).union(moves.map(\.from))
    let entering = Set(insertions).union(moves.map(\.to))
    if leaving.count != deletions.count + moves.count || entering.count != insertions.count + moves.count {
      return "an index is both of a move and of a deletion or insertion"
    }
    if leaving.contains(where: { !before.indices.contains($0) })
      || entering.contains(where: { !after.indices.contains($0) })
    {
      return "an index is out of bounds"
    }
    var rows = before.enumerated().filter { !leaving.contains($0.offset) }.map(\.element)
    let sources = Dictionary(uniqueKeysWithValues: moves.map { ($0.to, $0.from) })
    for index in entering.sorted() {
      guard index <= rows.count else { return "index \(index) cannot be put in" }
      rows.insert(sources[index].map { before[$0] } ?? after[index], at: index)
    }
    guard rows.count == after.count else { return "replay gives \(rows.count) rows for \(after.count)" }
    for modification in changes.modifications {
      guard rows.indices.contains(modification.newIndex) else { return "a modification is out of bounds" }
      rows[modification.newIndex].values = entry(modification.new).values
    }
    for (index, (row, other)) in zip(rows, after).enumerated() {
      if row.id != other.id { return "replay has \(row.id) at \(index), where \(other.id) should be" }
      if !isPartial, row.values != other.values {
        return "replay has \(row.values) at \(index), where \(other.values) should be"
      }
    }
    return nil
  }

  /// Has an object that has one entry before alone, and one after alone, have one that moved (C5).
  ///
  /// - Returns: false if an object has several such entries, which may be paired in any way.
  private static func pair(_ after: inout [Answer.Entry], with before: [Answer.Entry]) -> Bool {
    let (old, new) = (Set(before.map(\.identity)), Set(after.map(\.identity)))
    let left = Dictionary(grouping: before.filter { !new.contains($0.identity) }, by: \.id)
    let right = Dictionary(grouping: after.indices.filter { !old.contains(after[$0].identity) }) {
      after[$0].id
    }
    for (id, places) in right {
      guard let entries = left[id] else { continue }
      if entries.count > 1 || places.count > 1 { return false }
      after[places[0]].identity = entries[0].identity
    }
    return true
  }

  /// What is deleted, inserted, modified, and how many move at least.
  private static func exact<Element: Entity>(
    _ changes: ChangeSet<Element>, _ before: [Answer.Entry], _ after: [Answer.Entry], names: [String]?,
    _ entry: MakeEntry<Element>
  ) -> String? {
    let old = Dictionary(uniqueKeysWithValues: before.enumerated().map { ($1.identity, $0) })
    let new = Dictionary(uniqueKeysWithValues: after.enumerated().map { ($1.identity, $0) })
    let deletions = before.indices.filter { new[before[$0].identity] == nil }
    if deletions != changes.deletions {
      return "deletions are \(changes.deletions), but should be \(deletions)"
    }
    let insertions = after.indices.filter { old[after[$0].identity] == nil }
    if insertions != changes.insertions {
      return "insertions are \(changes.insertions), but should be \(insertions)"
    }
    let modified = after.indices.filter { index in
      old[after[index].identity].map { before[$0].compared != after[index].compared } ?? false
    }
    if modified != changes.modifications.map(\.newIndex) {
      return "modifications are \(changes.modifications.map(\.newIndex)), but should be \(modified)"
    }
    for modification in changes.modifications {
      let index = old[after[modification.newIndex].identity]
      if index != modification.oldIndex { return "a modification has the wrong old index" }
      if entry(modification.old).values != before[modification.oldIndex].values { return "a wrong old value" }
      if let names {
        let (left, right) = (before[modification.oldIndex].values, after[modification.newIndex].values)
        let differing = names.indices.filter { left[$0] != right[$0] }.map { names[$0] }
        let received = modification.properties.map(\.name)
        if received.filter(Set(names).contains) != differing {
          return "the properties that differ are \(differing), but reported are \(received)"
        }
      }
    }
    for move in changes.moves {
      if old[after[move.to].identity] != move.from { return "a move of \(move.id) from the wrong index" }
    }
    let common = after.compactMap { old[$0.identity] }
    let fewest = common.count - longestAscending(common)
    if changes.moves.count != fewest {
      return
        "\(changes.moves.count) moves from \(before.map(\.id)) to \(after.map(\.id)), where \(fewest) will do"
    }
    return nil
  }

  /// The length of the longest ascending subsequence, by patience.
  static func longestAscending(_ numbers: [Int]) -> Int {
    var tops: [Int] = []
    for number in numbers {
      if let index = tops.firstIndex(where: { $0 >= number }) {
        tops[index] = number
      } else {
        tops.append(number)
      }
    }
    return tops.count
  }

  private static func batches<Element: Entity>(_ changes: ChangeSet<Element>) -> String? {
    let batch = changes.batchUpdates
    let moved = Set(changes.moves.map(\.to))
    let still = changes.modifications.filter { !moved.contains($0.newIndex) }
    if batch.deletions != (changes.deletions + changes.moves.map(\.from)).sorted()
      || batch.insertions != (changes.insertions + changes.moves.map(\.to)).sorted()
      || batch.modifications != still.map(\.oldIndex).sorted()
      || batch.modificationsNew != still.map(\.newIndex)
    {
      return "batchUpdates are not those of the change set: \(batch)"
    }
    return nil
  }
}
