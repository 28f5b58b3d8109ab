/// Searches one index of a table for the key ranges that conditions admit.
struct IndexSearch {
  let number: Int
  private let info: IndexInfo
  private let tree: Tree
  private let state: TableState
  private let context: ReadContext

  init(_ number: Int, _ table: Int, _ context: ReadContext) {
    self.number = number
    info = context.catalog.entities[table].indexes[number]
    state = context.tables[table]
    tree = state.indexes[number]
    self.context = context
  }

  /// One value of a part of the index.
  private struct PartKey {
    /// The value in 64 bits, or its hash.
    let word: UInt64
    /// Compares a row's value with it; nil if equal words say all that the index knows.
    let compare: ((UnsafeRawPointer) -> Int)?
  }

  /// More combinations of values are not looked up one by one.
  private static let maximumCombinations = 64

  /// The ranges of rows that all candidates admit: of one or several values of each of the first parts, and between
  /// bounds of the next; nil if the candidates say nothing of the first part.
  ///
  /// - Parameter conjuncts: how many conditions the candidates are of; each has at least one.
  /// - Complexity: O(*v* log *n*) for *v* combinations of values.
  func use(_ choices: [Candidates], conjuncts: Int) -> IndexUse? {
    var keys: [[PartKey]] = []
    var (used, isExact, combinations) = (0, true, 1)
    for (place, part) in info.parts.enumerated() {
      let own = choices.filter { $0.path == part.path && $0.eachHash == nil }
      let values = own.compactMap { candidates in
        self.keys(candidates, part, isFirst: place == 0).map { (candidates, $0) }
      }
      if let best = values.min(by: { $0.1.count < $1.1.count }),
        place == 0 || combinations * best.1.count <= Self.maximumCombinations
      {
        keys.append(best.1)
        combinations *= best.1.count
        used += 1
        isExact = isExact && best.0.isExact
        continue
      }
      let bounded = part.isOrdered ? own.filter { $0.keyRanges != nil } : []
      let uses = bounded.map { candidates in
        use(keys, candidates, isExact: isExact && candidates.isExact && used + 1 == conjuncts)
      }
      if let best = uses.min(by: { $0.count < $1.count }) { return best }
      break
    }
    return keys.isEmpty ? nil : use(keys, nil, isExact: isExact && used == conjuncts)
  }

  private func use(_ keys: [[PartKey]], _ last: Candidates?, isExact: Bool) -> IndexUse {
    var prefixes: [[PartKey]] = [[]]
    for part in keys { prefixes = prefixes.flatMap { prefix in part.map { prefix + [$0] } } }
    let bounds = last.map { last in
      (last.keyRanges ?? []).map { range in
        // No comparison passes nil or NaN, which come before the values.
        (lower: range.lower ?? (range.upper == nil ? nil : last.missing), upper: range.upper)
      }
    }
    let ranges = prefixes.flatMap { prefix in
      (bounds ?? [(nil, nil)]).map { ranks(prefix, $0.lower, $0.upper) }
    }
    return IndexUse(
      index: number, ranges: QueryPlan.disjoint(ranges),
      singleParts: keys.prefix { $0.count == 1 }.count,
      boundParts: keys.count + (last == nil ? 0 : 1), isExact: isExact)
  }

  /// The values of a part that the candidates are; nil if they are others, too.
  private func keys(_ candidates: Candidates, _ part: IndexPart, isFirst: Bool) -> [PartKey]? {
    if part.isOrdered {
      guard candidates.areValues, let ranges = candidates.keyRanges else { return nil }
      return ranges.compactMap { range in
        range.lower.map { bound in
          PartKey(word: bound.abbreviation) { bound.compare($0, context) }
        }
      }
    }
    guard let hashes = candidates.hashes, let hash = candidates.hash else { return nil }
    return Set(hashes).map { word in
      PartKey(
        word: word,
        compare: isFirst
          ? nil
          : { row in
            let other = hash(row, context)
            return other == word ? 0 : other < word ? -1 : 1
          })
    }
  }

  /// The ranks of the rows with some values of the first parts, and a value of the next between bounds.
  private func ranks(
    _ prefix: [PartKey], _ lower: Candidates.Bound?, _ upper: Candidates.Bound?
  ) -> Range<Int> {
    /// How the first parts of a row compare with the values.
    func order(_ row: UnsafeRawPointer) -> Int {
      for key in prefix {
        if let result = key.compare?(row), result != 0 { return result }
      }
      return 0
    }
    let readsRows = lower != nil || upper != nil || prefix.contains { $0.compare != nil }
    var (start, end) = (0, tree.count)
    if let word = prefix.first?.word ?? lower?.abbreviation {
      start = tree.partitionPoint(first: word) { number in
        guard readsRows else { return false }
        let row = state.existing(number)
        let result = order(row)
        guard result == 0, let lower else { return result < 0 }
        return lower.compare(row, context) < (lower.isInclusive ? 0 : 1)
      }
    }
    if let word = prefix.first?.word ?? upper?.abbreviation {
      end = tree.partitionPoint(first: word) { number in
        guard readsRows else { return true }
        let row = state.existing(number)
        let result = order(row)
        guard result == 0, let upper else { return result <= 0 }
        return upper.compare(row, context) < (upper.isInclusive ? 1 : 0)
      }
    }
    return start..<max(start, end)
  }
}
