import Synchronization

/// The table of live versions.
///
/// State: `alive` counts the states of each version (two when only ignored properties differ). Guarded by its mutex,
/// accessed when a state is made or freed.
package final class VersionPins: Sendable {
  private let alive = Mutex<[Version: Int]>([:])

  package init() {}

  func add(_ version: Version) { alive.withLock { $0[version, default: 0] += 1 } }

  /// Removes one state of a version, and returns whether the next version is alive.
  func remove(_ version: Version) -> Bool {
    alive.withLock { alive in
      let count = (alive[version] ?? 0) - 1
      alive[version] = count > 0 ? count : nil
      return alive[version.next()] != nil
    }
  }

  /// How many versions are alive, and the oldest of them.
  var summary: (count: Int, oldest: Version?) { alive.withLock { ($0.count, $0.keys.min()) } }
}
