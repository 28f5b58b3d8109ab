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

  /// The ranges of rows that all candidates admit: one or several values of each of the first parts, then
  /// bounds of the next part; nil if there are no candidates for the first part.
  ///
  /// - Parameter conjuncts: how many conditions the candidates belong to; each has at least one.
  /// - Complexity: O(*v* log *n*) for *v* combinations of values.
  func use(_ choices: [SearchArgument], conjuncts: Int) -> IndexUse? {
    var keys: [[PartKey]] = []
    var (used, isExact, combinations) = (0, true, 1)
    for (place, part) in info.parts.enumerated() {
      // Candidates of elements and links have no hash and no order, and so no keys here.
      let own = choices.indices.filter { choices[$0].path == part.path }
      if let best = fewestKeys(choices, own, part, isFirst: place == 0),
        place == 0 || combinations * best.keys.count <= Self.maximumCombinations
      {
        keys.append(best.keys)
        combinations *= best.keys.count
        used += 1
        isExact = isExact && best.isExact
        continue
      }
      var best: IndexUse?
      for candidates in own where part.isOrdered && choices[candidates].keyRanges != nil {
        let isExact = isExact && choices[candidates].isExact && used + 1 == conjuncts
        let use = use(keys, choices[candidates], isExact: isExact)
        if use.count < best?.count ?? .max { best = use }
      }
      if let best { return best }
      break
    }
    return keys.isEmpty ? nil : use(keys, nil, isExact: isExact && used == conjuncts)
  }

  /// The shortest list of a part's values among some candidates.
  private func fewestKeys(
    _ choices: [SearchArgument], _ own: [Int], _ part: IndexPart, isFirst: Bool
  ) -> (keys: [PartKey], isExact: Bool)? {
    var best: (keys: [PartKey], isExact: Bool)?
    for candidates in own {
      if let keys = keys(choices[candidates], part, isFirst: isFirst), keys.count < best?.keys.count ?? .max {
        best = (keys, choices[candidates].isExact)
      }
    }
    return best
  }

  private func use(_ keys: [[PartKey]], _ last: SearchArgument?, isExact: Bool) -> IndexUse {
    var prefixes: [[PartKey]] = [[]]
    for part in keys { prefixes = prefixes.flatMap { prefix in part.map { prefix + [$0] } } }
    var ranges: [Range<Int>] = []
    for prefix in prefixes {
      guard let last else {
        ranges.append(ranks(prefix, nil, nil))
        continue
      }
      for range in last.keyRanges ?? [] {
        // No comparison passes nil or NaN, which come before the values.
        let lower = range.lower ?? (range.upper == nil ? nil : last.missing)
        ranges.append(ranks(prefix, lower, range.upper))
      }
    }
    return IndexUse(
      index: number, ranges: QueryPlan.disjoint(ranges),
      singleParts: keys.prefix { $0.count == 1 }.count,
      boundParts: keys.count + (last == nil ? 0 : 1), isExact: isExact)
  }

  /// The values of a part that the candidates are; nil if the candidates include other values.
  private func keys(_ candidates: SearchArgument, _ part: IndexPart, isFirst: Bool) -> [PartKey]? {
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
    _ prefix: [PartKey], _ lower: SearchArgument.Bound?, _ upper: SearchArgument.Bound?
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
