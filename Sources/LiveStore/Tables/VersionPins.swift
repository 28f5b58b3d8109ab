import Synchronization

/// The table of live versions, with the number of states that each has.
///
/// Versions end in about the order in which they begin. So the table is a list in order, in which a version that has
/// ended stays, with a count of 0, until it is the first or half of the list has ended.
///
/// State: the list and the number of live versions in it, guarded by the mutex, accessed when a state is made or freed.
package final class VersionPins: Sendable {
  private let list = Mutex(List())

  package init() {}

  /// Adds a state of a version.
  ///
  /// - Complexity: O(1) for the newest version, amortised; O(log *n*) for one that is alive; else O(*n*).
  package func add(_ version: Version) { list.withLock { $0.add(version) } }

  /// Removes one state of a version, and returns whether the next version is alive.
  ///
  /// - Complexity: O(log *n*), amortised.
  package func remove(_ version: Version) -> Bool { list.withLock { $0.remove(version) } }

  /// The versions that are alive, ascending.
  ///
  /// - Complexity: O(*n*).
  package var versions: [Version] {
    list.withLock { list in list.pins[list.start...].lazy.filter { $0.states > 0 }.map(\.version) }
  }

  /// How many versions are alive, and the oldest of them.
  package var summary: (count: Int, oldest: Version?) {
    list.withLock { ($0.alive, $0.alive > 0 ? $0.pins[$0.start].version : nil) }
  }
}

extension VersionPins {
  private struct Pin {
    let version: Version
    /// How many states have this version: two when only ignored properties differ.
    var states: Int
  }

  private struct List {
    /// Ascending. Pins before `start` have ended, and the pin there has not.
    var pins: [Pin] = []
    var start = 0
    var alive = 0

    mutating func add(_ version: Version) {
      guard let last = pins.last, last.version >= version else {
        pins.append(Pin(version: version, states: 1))
        alive += 1
        return
      }
      let index = firstIndex(notBefore: version)
      if index == pins.count || pins[index].version != version {
        pins.insert(Pin(version: version, states: 0), at: index)
      }
      if pins[index].states == 0 { alive += 1 }
      pins[index].states += 1
    }

    mutating func remove(_ version: Version) -> Bool {
      let index = firstIndex(notBefore: version)
      let next = index + 1
      let isNextAlive =
        next < pins.count && pins[next].states > 0 && pins[next].version == version.next()
      pins[index].states -= 1
      if pins[index].states == 0 {
        alive -= 1
        while start < pins.count, pins[start].states == 0 { start += 1 }
        if alive == 0 || pins.count > 2 * alive + 16 {
          pins.removeAll { $0.states == 0 }
          start = 0
        }
      }
      return isNextAlive
    }

    /// The position of the first pin of this version or a later one.
    private func firstIndex(notBefore version: Version) -> Int {
      var (low, high) = (start, pins.count)
      if low < high, pins[low].version >= version { return low }
      while low < high {
        let middle = (low + high) / 2
        if pins[middle].version < version { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }
}
