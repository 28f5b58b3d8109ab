// The same work on standard collections. The names are those that Scripts/check-regressions.py looks for.

@inline(never) func peerLoad(_ items: [Item]) -> [Int: Item] {
  var dictionary: [Int: Item] = [:]
  for item in items { dictionary[item.id] = item }
  return dictionary
}

@inline(never) func peerLookup(_ dictionary: [Int: Item], _ probes: [Int]) -> Int {
  var sum = 0
  for id in probes { sum &+= dictionary[id]?.score ?? 0 }
  return sum
}

@inline(never) func peerUpdate(_ dictionary: inout [Int: Item], _ probes: [Int]) {
  for id in probes { dictionary[id]?.score &+= 1 }
}

@inline(never) func peerDelete(_ dictionary: inout [Int: Item], _ probes: [Int]) {
  for id in probes { dictionary[id] = nil }
}

@inline(never) func peerScan(_ items: [Item], _ limit: Int) -> Int {
  var matches = 0
  for item in items where item.score < limit { matches += 1 }
  return matches
}

@inline(never) func peerText(_ items: [Item], _ prefix: String) -> Int {
  var matches = 0
  for item in items where item.name.hasPrefix(prefix) { matches += 1 }
  return matches
}

@inline(never) func peerFilter(_ items: [Item], _ limit: Int) -> [Item] { items.filter { $0.score < limit } }

@inline(never) func peerSort(_ items: [Item]) -> [Item] { items.sorted { $0.score < $1.score } }

@inline(never) func peerSum(_ items: [Item], _ limit: Int) -> Int {
  var sum = 0
  for item in items where item.score < limit { sum += item.score }
  return sum
}

/// The twenty rows from a score on, of an array in its order.
@inline(never) func peerPage(_ sorted: [Item], _ starts: [Int]) -> Int {
  var sum = 0
  for start in starts {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle].score <= start { low = middle + 1 } else { high = middle }
    }
    for item in sorted[low..<min(sorted.count, low + 20)] { sum &+= item.id }
  }
  return sum
}
