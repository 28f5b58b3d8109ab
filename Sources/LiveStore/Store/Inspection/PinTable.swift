/// What holds each version that is alive.
struct PinTable {
  private typealias Holder = StoreInspection.PinHolder

  private let alive: [Version]
  private var holders: [[StoreInspection.PinHolder]]

  /// - Parameter alive: ascending.
  init(alive: [Version]) {
    self.alive = alive
    holders = alive.map { _ in [] }
  }

  /// Adds what holds a version, if that is alive.
  ///
  /// - Complexity: O(log *n*).
  mutating func add(_ version: Version, _ holder: StoreInspection.PinHolder) {
    let place = firstPlace(notBefore: version)
    if place < alive.count, alive[place] == version, holders[place].last != holder {
      holders[place].append(holder)
    }
  }

  mutating func add(_ versions: ClosedRange<Version>, _ holder: StoreInspection.PinHolder) {
    var place = firstPlace(notBefore: versions.lowerBound)
    while place < alive.count, alive[place] <= versions.upperBound {
      holders[place].append(holder)
      place += 1
    }
  }

  /// Versions in a row that have the same holders are one range. A version that nothing is known to hold is held by
  /// the app.
  var ranges: [StoreInspection.PinnedVersions] {
    var ranges: [StoreInspection.PinnedVersions] = []
    for (version, known) in zip(alive, holders) {
      let holders = known.isEmpty ? [Holder(kind: .app)] : known
      if var last = ranges.last, last.holders == holders {
        last.last = version
        last.count += 1
        ranges[ranges.count - 1] = last
      } else {
        ranges.append(
          StoreInspection.PinnedVersions(first: version, last: version, count: 1, holders: holders))
      }
    }
    return ranges
  }

  private func firstPlace(notBefore version: Version) -> Int {
    var (low, high) = (0, alive.count)
    while low < high {
      let middle = (low + high) / 2
      if alive[middle] < version { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
