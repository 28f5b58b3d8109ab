import Synchronization

/// What is written by hand: a dictionary behind a lock, filtered and sorted after each change, and the difference of
/// the two arrays.
final class LockedDictionary: Sendable {
  private let items: Mutex<[Int: Item]>

  init(_ items: [Item]) {
    self.items = Mutex(Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0) }))
  }

  func setScore(_ id: Int, _ score: Int) { items.withLock { $0[id]?.score = score } }

  /// The items below a score, sorted by it; of equal scores in the order of ids.
  func sorted(below limit: Int) -> [Item] {
    let kept = items.withLock { items in items.values.filter { $0.score < limit } }
    return kept.sorted { ($0.score, $0.id) < ($1.score, $1.id) }
  }
}
