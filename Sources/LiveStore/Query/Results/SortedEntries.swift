/// Entries of a result that is to be sorted: by abbreviations of their first sort keys, then where these do not decide,
/// by comparing rows. Ties stand in the order of positions (Q3).
struct SortedEntries {
  private struct Entry: BitwiseCopyable {
    /// The abbreviation.
    var word: UInt64
    /// The row, or the entry of a list.
    var second: UInt64
    var stamp: UInt64
  }

  private var entries: ContiguousArray<Entry> = []
  /// The entries' positions in their list; empty for the rows of a table.
  private var positions: ContiguousArray<UInt64> = []

  /// - Parameter position: the position in a list.
  mutating func append(_ word: UInt64, _ second: UInt64, stamp: UInt64, position: UInt64? = nil) {
    entries.append(Entry(word: word, second: second, stamp: stamp))
    if let position { positions.append(position) }
  }

  /// - Parameter ties: how entries of equal words compare; nil if they tie.
  mutating func sort(_ ties: Ties?) {
    sortByPosition()
    // Below this, clearing the counters of digits takes longer than comparing.
    if entries.count > 128 {
      sortByWord { $0.word }
    } else {
      entries = ContiguousArray(
        permutation(entries.indices) { lhs, rhs in
          let (left, right) = (entries[lhs].word, entries[rhs].word)
          return left == right ? 0 : left < right ? -1 : 1
        }.map { entries[$0] })
    }
    if let ties { sort(ties) }
  }

  private mutating func sortByWord(_ word: (Entry) -> UInt64) {
    var buffer: ContiguousArray<Entry> = []
    entries.radixSort(through: &buffer, by: word)
  }

  /// Sorts each run of entries with equal words.
  private mutating func sort(_ ties: Ties) {
    var start = 0
    while start < entries.count {
      let word = entries[start].word
      let end = entries[start...].firstIndex { $0.word != word } ?? entries.count
      if end > start + 1 {
        let run = Array(entries[start..<end])
        let objects = run.map { ties.object($0.second) }
        let order = permutation(run.indices) { ties.compare(objects[$0], objects[$1]) }
        for (index, place) in zip(start..<end, order) { entries[index] = run[place] }
      }
      start = end
    }
  }

  private mutating func sortByPosition() {
    if !positions.isEmpty {
      let order = positions.indices.sorted { positions[$0] < positions[$1] }
      entries = ContiguousArray(order.map { entries[$0] })
    } else if zip(entries, entries.dropFirst()).contains(where: { $0.second > $1.second }) {
      sortByWord { $0.second }
    }
  }

  /// The tree of the entries.
  consuming func tree(_ layout: TreeLayout) -> Tree {
    var builder = TreeBuilder(layout)
    builder.append(count: entries.count) {
      (TreeKey(entries[$0].word, entries[$0].second), stamp: entries[$0].stamp)
    }
    return builder.finish()
  }
}

/// How entries compare whose words are equal.
struct Ties {
  /// The object of an entry, by the second word of its key.
  let object: (UInt64) -> UnsafeRawPointer
  /// Compares two objects by all keys of the sort.
  let compare: (UnsafeRawPointer, UnsafeRawPointer) -> Int
}

/// The indices in the order that a comparison gives; those that tie ascend.
private func permutation(_ indices: Range<Int>, _ compare: (Int, Int) -> Int) -> [Int] {
  indices.sorted { lhs, rhs in
    let result = compare(lhs, rhs)
    return result == 0 ? lhs < rhs : result < 0
  }
}
