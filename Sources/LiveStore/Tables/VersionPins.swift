import Synchronization

/// The table of live versions: a list of them, in order.
///
/// State: the ends of the list, its length, and the links and counts of all `Pin`s in it. Guarded by the mutex, accessed
/// when a state is made or freed.
package final class VersionPins: Sendable {
  private struct List {
    var oldest: Pin?
    var newest: Pin?
    var count = 0
  }

  private let list = Mutex(List())

  package init() {}

  /// A live version, as a member of the list. It leaves the list when its last state is freed.
  // Sendable, since what can change is accessed under the mutex alone.
  final class Pin: @unchecked Sendable {
    let version: Version
    /// How many states have it: two when only ignored properties differ.
    fileprivate var states = 1
    fileprivate var older: Pin?
    fileprivate var newer: Pin?

    fileprivate init(_ version: Version) { self.version = version }
  }

  /// Adds a state of a version.
  ///
  /// - Complexity: O(1) for the newest version, else one step for each live version after it.
  func add(_ version: Version) -> Pin {
    list.withLock { list in
      var older = list.newest
      while let pin = older, pin.version > version { older = pin.older }
      if let pin = older, pin.version == version {
        pin.states += 1
        return pin
      }
      let pin = Pin(version)
      let newer = older.map(\.newer) ?? list.oldest
      (pin.older, pin.newer) = (older, newer)
      if let older { older.newer = pin } else { list.oldest = pin }
      if let newer { newer.older = pin } else { list.newest = pin }
      list.count += 1
      return pin
    }
  }

  /// Removes one state of a version, and returns whether the next version is alive.
  func remove(_ pin: Pin) -> Bool {
    list.withLock { list in
      let (older, newer) = (pin.older, pin.newer)
      pin.states -= 1
      if pin.states == 0 {
        if let older { older.newer = newer } else { list.oldest = newer }
        if let newer { newer.older = older } else { list.newest = older }
        (pin.older, pin.newer) = (nil, nil)
        list.count -= 1
      }
      return newer?.version == pin.version.next()
    }
  }

  /// How many versions are alive, and the oldest of them.
  var summary: (count: Int, oldest: Version?) { list.withLock { ($0.count, $0.oldest?.version) } }
}
