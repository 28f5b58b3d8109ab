extension RefList: EntryKeeping {
  /// The list with its entries known as those of an older list wherever they are the same; nil when they are
  /// already.
  ///
  /// Entries of one label and reference are the same: the list was made from the older one by editing. What lies
  /// between two such may have been written anew, as when a list is decoded; of these stretches, entries of a
  /// longest common subsequence are the same ones.
  /// - Complexity: O(*n*) for lists made by editing; O(*n* log *n*) for others, where no object stands in
  ///   them very often.
  package func aligned(with older: RefList) -> RefList? {
    if slots == older.slots { return nil }
    var result = self
    var (old, new) = (0, 0)
    // The starts of the present stretch.
    var (oldStart, newStart) = (0, 0)
    while old < older.slots.count, new < slots.count {
      let (before, after) = (older.slots[old], slots[new])
      if before == after {
        if newStart < new && oldStart < old {
          result.align(newStart..<new, with: older.slots[oldStart..<old])
        }
        (oldStart, newStart) = (old + 1, new + 1)
      }
      if before.label <= after.label { old += 1 }
      if after.label <= before.label { new += 1 }
    }
    result.align(newStart..<slots.count, with: older.slots[oldStart...])
    return result
  }

  /// Gives the entries of a stretch the labels of those of an older one that they are.
  private mutating func align(_ range: Range<Int>, with older: ArraySlice<Slot>) {
    if range.isEmpty || older.isEmpty { return }
    var labels = [UInt64?](repeating: nil, count: range.count)
    for pair in commonSubsequence(older.map(\.reference), slots[range].map(\.reference)) {
      labels[pair.new] = older[older.startIndex + pair.old].label
    }
    // The others are new and get labels between their neighbours'.
    var low = range.lowerBound > 0 ? slots[range.lowerBound - 1].label : nil
    let end = range.upperBound < slots.count ? slots[range.upperBound].label : nil
    var place = 0
    while place < labels.count {
      if let label = labels[place] {
        low = label
        place += 1
        continue
      }
      let next = labels[place...].firstIndex { $0 != nil } ?? labels.count
      let high = next < labels.count ? labels[next] : end
      // Without room the stretch keeps the labels it has, which are between those around it.
      guard let new = ListLabels.labels(next - place, after: low, before: high) else { return }
      labels.replaceSubrange(place..<next, with: new)
      place = next
    }
    for (offset, index) in range.enumerated() { slots[index].label = labels[offset] ?? slots[index].label }
  }
}

/// Positions of a longest common subsequence, ascending.
///
/// That of Hunt and Szymanski: the longest ascending chain among the pairs of equal elements. Where elements stand
/// in both so often that there are many more pairs than elements, only the first is paired with the first, the
/// second with the second and so on, which is common, if not always longest.
/// - Complexity: O(*n* log *n*).
func commonSubsequence<Element: Hashable>(
  _ old: [Element], _ new: [Element]
) -> [(old: Int, new: Int)] {
  let (head, tail) = commonEnds(old, new)
  let ends =
    (0..<head).map { ($0, $0) } + (0..<tail).reversed().map { (old.count - 1 - $0, new.count - 1 - $0) }
  let (oldMiddle, newMiddle) = (head..<old.count - tail, head..<new.count - tail)
  if oldMiddle.isEmpty || newMiddle.isEmpty { return ends }
  var places: [Element: [Int]] = [:]
  for place in oldMiddle { places[old[place], default: []].append(place) }
  let pairCount = newMiddle.reduce(0) { $0 + (places[new[$1]]?.count ?? 0) }
  let pairsAll = pairCount <= 16 * (oldMiddle.count + newMiddle.count)

  /// A pair that a chain ends with, and the one before it.
  var chains: [(old: Int, new: Int, previous: Int?)] = []
  /// For each length, the chain of it that ends earliest in the old list.
  var best: [Int] = []
  var seen: [Element: Int] = [:]
  for place in newMiddle {
    guard let candidates = places[new[place]] else { continue }
    let occurrence = seen[new[place], default: 0]
    seen[new[place]] = occurrence + 1
    let usable = pairsAll ? candidates[...] : candidates.dropFirst(occurrence).prefix(1)
    // Descending, so that no chain takes this place twice.
    for candidate in usable.reversed() {
      var (low, high) = (0, best.count)
      while low < high {
        let middle = (low + high) / 2
        if chains[best[middle]].old < candidate { low = middle + 1 } else { high = middle }
      }
      chains.append((candidate, place, low > 0 ? best[low - 1] : nil))
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
