/// Finds the fewest moves that explain a new order (C3); `RowDifference` says why the choice is unique.
///
/// Positions of untouched rows are counted among the untouched rows alone: removed entry i stood before the
/// untouched row `oldPositions[i] - i`, and added entries likewise. The algorithm is patience sorting for
/// increasing subsequences (Schensted 1961, Fredman 1975), weighted by prefix maxima in a Fenwick tree.
struct MoveFinder {
  /// Positions of all removed and of all added entries, ascending.
  let oldPositions: [Int]
  let newPositions: [Int]
  /// For each row on both sides, its indices in both arrays, by new position. An entry may be in several
  /// pairs, one of which is chosen; pairs of one added entry are in descending order of removed entries.
  let pairs: [(old: Int, new: Int)]

  private func untouchedBefore(old index: Int) -> Int { oldPositions[index] - index }
  private func untouchedBefore(new index: Int) -> Int { newPositions[index] - index }

  /// Whether all changed rows kept their position among the others, as is usual.
  var isInOrder: Bool {
    var last = -1
    for pair in pairs {
      if pair.old < last || untouchedBefore(old: pair.old) != untouchedBefore(new: pair.new) { return false }
      last = pair.old
    }
    return true
  }

  /// A changed row, or a run of untouched rows.
  private struct Block {
    /// Position in the old order, compressed to 1….
    var oldRank = 0
    /// The number of rows; in the low half, how many of them are not modified.
    var weight: Int
    var kind: Kind

    enum Kind {
      case pair(old: Int, new: Int)
      case run(Range<Int>)
    }
  }

  /// The moved rows, by new position.
  func moves(isModified: ((old: Int, new: Int)) -> Bool) -> [RowDifference.Retained] {
    let blocks = blocks(isModified)
    let kept = heaviestIncreasing(blocks)
    var moves: [RowDifference.Retained] = []
    for (index, block) in blocks.enumerated() where !kept[index] {
      switch block.kind {
      case .pair(let old, let new):
        moves.append(.init(oldPosition: oldPositions[old], newPosition: newPositions[new]))
      case .run(let rows):
        for row in rows {
          moves.append(
            .init(
              oldPosition: row + entriesBefore(row, oldPositions),
              newPosition: row + entriesBefore(row, newPositions)))
        }
      }
    }
    return moves
  }

  /// The pairs of rows that need not move; each entry is in one of them at most.
  func staying(isModified: ((old: Int, new: Int)) -> Bool) -> [(old: Int, new: Int)] {
    let blocks = blocks(isModified)
    let kept = heaviestIncreasing(blocks)
    return zip(blocks, kept).compactMap { block, isKept in
      if isKept, case .pair(let old, let new) = block.kind { (old, new) } else { nil }
    }
  }

  /// How many of the entries are before an untouched row.
  private func entriesBefore(_ row: Int, _ positions: [Int]) -> Int {
    positions.indices.partitionPoint { positions[$0] - $0 <= row }
  }

  /// All blocks in new order, with their rank in the old order.
  private func blocks(_ isModified: ((old: Int, new: Int)) -> Bool) -> [Block] {
    var cuts = Set<Int>()
    for pair in pairs {
      cuts.insert(untouchedBefore(old: pair.old))
      cuts.insert(untouchedBefore(new: pair.new))
    }
    let bounds = cuts.sorted()
    // Rows before the first cut and after the last one never move, so they need no block.
    let runs = zip(bounds, bounds.dropFirst()).map { $0..<$1 }
    let pairBlocks = pairs.map {
      Block(weight: 1 << 32 + (isModified($0) ? 0 : 1), kind: .pair(old: $0.old, new: $0.new))
    }
    let runBlocks = runs.map { Block(weight: $0.count << 32 + $0.count, kind: .run($0)) }
    var blocks = merge(pairBlocks, runBlocks) { pairs in untouchedBefore(new: pairs.new) }
    let byOld = blocks.indices.sorted { oldKey(blocks[$0]) < oldKey(blocks[$1]) }
    var rank = 0
    for (offset, index) in byOld.enumerated() {
      // A chain contains only one of the pairs that share a removed entry.
      if offset == 0 || oldKey(blocks[byOld[offset - 1]]) != oldKey(blocks[index]) { rank += 1 }
      blocks[index].oldRank = rank
    }
    return blocks
  }

  /// Changed rows come before the untouched row of their position.
  private func oldKey(_ block: Block) -> (Int, Int, Int) {
    switch block.kind {
    case .pair(let old, _): (untouchedBefore(old: old), 0, old)
    case .run(let rows): (rows.lowerBound, 1, 0)
    }
  }

  private func merge(
    _ pairs: [Block], _ runs: [Block], _ untouchedBefore: ((old: Int, new: Int)) -> Int
  ) -> [Block] {
    var result: [Block] = []
    var next = 0
    for pair in pairs {
      guard case .pair(let old, let new) = pair.kind else { continue }
      let position = untouchedBefore((old, new))
      while next < runs.count, case .run(let rows) = runs[next].kind, rows.lowerBound < position {
        result.append(runs[next])
        next += 1
      }
      result.append(pair)
    }
    return result + runs[next...]
  }

  /// The blocks of the heaviest increasing subsequence.
  private func heaviestIncreasing(_ blocks: [Block]) -> [Bool] {
    // best[r]: the weight and the last block of the heaviest chain that ends at an old rank covered by r.
    var best = [(weight: Int, block: Int)](repeating: (0, -1), count: blocks.count + 1)
    var previous = [Int](repeating: -1, count: blocks.count)
    var heaviest = (weight: 0, block: -1)
    for (index, block) in blocks.enumerated() {
      var before = (weight: 0, block: -1)
      var rank = block.oldRank - 1
      while rank > 0 {
        if best[rank] > before { before = best[rank] }
        rank &= rank - 1
      }
      previous[index] = before.block
      let chain = (weight: before.weight + block.weight, block: index)
      if chain > heaviest { heaviest = chain }
      rank = block.oldRank
      while rank < best.count {
        if chain > best[rank] { best[rank] = chain }
        rank += rank & -rank
      }
    }
    var kept = [Bool](repeating: false, count: blocks.count)
    var block = heaviest.block
    while block >= 0 {
      kept[block] = true
      block = previous[block]
    }
    return kept
  }
}
