extension RefList: EntryKeeping {
  /// The list with the identities of an older list's entries wherever they are the same; nil when it has them
  /// already.
  ///
  /// Entries with equal labels and references are the same: the list was made from the older one by editing. The
  /// ranges between them may have been rewritten, as when a list is decoded. In these ranges the entries of a longest
  /// common subsequence are the same (R10).
  /// - Complexity: O(*n*) for lists made by editing; O(*n* log *n*) for others, unless objects repeat very often.
  package func aligned(with older: RefList) -> RefList? {
    if slots == older.slots { return nil }
    var result = self
    var (isSame, hasRoom) = (false, true)
    /// Aligns a range in which no entry has the label and the reference of an older one.
    func align(_ range: Range<Int>, with older: ArraySlice<Slot>) {
      let isAligned = result.align(range, with: older)
      isSame = isSame || isAligned ?? false
      hasRoom = hasRoom && isAligned != nil
    }
    var (old, new) = (0, 0)
    // The starts of the current range.
    var (oldStart, newStart) = (0, 0)
    while old < older.slots.count, new < slots.count {
      let (before, after) = (older.slots[old], slots[new])
      if before == after {
        isSame = true
        if newStart < new, oldStart < old { align(newStart..<new, with: older.slots[oldStart..<old]) }
        (oldStart, newStart) = (old + 1, new + 1)
      }
      if before.label <= after.label { old += 1 }
      if after.label <= before.label { new += 1 }
    }
    align(newStart..<slots.count, with: older.slots[oldStart...])
    result.numbering = isSame && hasRoom ? older.numbering : ListLabels.number()
    return result
  }

  /// Gives each entry of a range that is the same as an older entry the older entry's label.
  ///
  /// - Returns: whether some entries are the same; nil if there was no room for the entries between them.
  private mutating func align(_ range: Range<Int>, with older: ArraySlice<Slot>) -> Bool? {
    if range.isEmpty || older.isEmpty { return false }
    var labels = [UInt64?](repeating: nil, count: range.count)
    let pairs = commonSubsequence(older.map(\.reference), slots[range].map(\.reference))
    for pair in pairs {
      labels[pair.new] = older[older.startIndex + pair.old].label
    }
    // The other entries are new and get labels between their neighbours'.
    var low = range.lowerBound > 0 ? slots[range.lowerBound - 1].label : nil
    let end = range.upperBound < slots.count ? slots[range.upperBound].label : nil
    var position = 0
    while position < labels.count {
      if let label = labels[position] {
        low = label
        position += 1
        continue
      }
      let next = labels[position...].firstIndex { $0 != nil } ?? labels.count
      let high = next < labels.count ? labels[next] : end
      // Without room, the range keeps its labels, which are between those around it.
      guard let new = ListLabels.labels(next - position, after: low, before: high) else { return nil }
      labels.replaceSubrange(position..<next, with: new)
      position = next
    }
    for (offset, index) in range.enumerated() { slots[index].label = labels[offset] ?? slots[index].label }
    return !pairs.isEmpty
  }
}

/// The positions of a longest common subsequence, ascending.
///
/// The algorithm of Hunt and Szymanski: the longest ascending chain among the pairs of equal elements. If elements
/// repeat so often in both lists that pairs far outnumber elements, only the first is paired with the first, the
/// second with the second and so on. That is a common subsequence, but not always a longest one.
/// - Complexity: O(*n* log *n*).
func commonSubsequence<Element: Hashable>(
  _ old: [Element], _ new: [Element]
) -> [(old: Int, new: Int)] {
  let (head, tail) = commonEnds(old, new)
  let ends =
    (0..<head).map { ($0, $0) } + (0..<tail).reversed().map { (old.count - 1 - $0, new.count - 1 - $0) }
  let (oldMiddle, newMiddle) = (head..<old.count - tail, head..<new.count - tail)
  if oldMiddle.isEmpty || newMiddle.isEmpty { return ends }
  var positions: [Element: [Int]] = [:]
  for position in oldMiddle { positions[old[position], default: []].append(position) }
  let pairCount = newMiddle.reduce(0) { $0 + (positions[new[$1]]?.count ?? 0) }
  let pairsAll = pairCount <= 16 * (oldMiddle.count + newMiddle.count)

  /// A pair at the end of a chain, and the pair before it.
  var chains: [(old: Int, new: Int, previous: Int?)] = []
  /// For each length, the chain of that length that ends earliest in the old list.
  var best: [Int] = []
  var seen: [Element: Int] = [:]
  for position in newMiddle {
    guard let candidates = positions[new[position]] else { continue }
    let occurrence = seen[new[position], default: 0]
    seen[new[position]] = occurrence + 1
    let usable = pairsAll ? candidates[...] : candidates.dropFirst(occurrence).prefix(1)
    // Descending, so that a chain contains this entry only once.
    for candidate in usable.reversed() {
      let low = best.partitionPoint { chains[$0].old < candidate }
      chains.append((candidate, position, low > 0 ? best[low - 1] : nil))
      if low == best.count { best.append(chains.count - 1) } else { best[low] = chains.count - 1 }
    }
  }
  var pairs: [(old: Int, new: Int)] = []
  var chain = best.last
  while let index = chain {
    pairs.append((chains[index].old, chains[index].new))
    chain = chains[index].previous
  }
  return Array(ends[..<head]) + pairs.reversed() + Array(ends[head...])
}
