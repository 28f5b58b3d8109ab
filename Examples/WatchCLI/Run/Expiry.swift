import LiveStore

/// Finds the objects that have not been written for a time.
///
/// The times of writing are kept by slots of a 64th of that time, so that one write takes O(1), and memory follows the
/// number of objects, however often they are written. An object leaves at the end of its slot.
///
/// ```
/// slots    17 → {a, d}   18 → {}   19 → {b}        oldest = 17
/// places   a → 17   b → 19   d → 17
/// ```
package struct Expiry {
  private let slotCount = 64
  private let slot: Duration
  private let start: ContinuousClock.Instant
  private var slots: [Int: Set<JSONValue>] = [:]
  private var places: [JSONValue: Int] = [:]
  /// No slot before it has objects.
  private var oldest = 0

  /// No objects.
  ///
  /// - Parameter seconds: for how long an object stays that is not written; above 0.
  package init(seconds: Double, now: ContinuousClock.Instant) {
    slot = .seconds(seconds) / slotCount
    start = now
  }

  /// When the next object has to leave, unless it is written before; nil if there is none.
  package var next: ContinuousClock.Instant? {
    places.isEmpty ? nil : start + slot * (oldest + 1 + slotCount)
  }

  /// Takes in the changes that are written now.
  package mutating func apply(_ changes: [InputChange], now: ContinuousClock.Instant) {
    let current = Int((now - start) / slot)
    for change in changes {
      switch change {
      case .put(let document), .complete(let document, _): move(document.id, to: current)
      case .remove(let document): move(document.id, to: nil)
      case .removeAll(let kept): for id in places.keys where !kept.contains(id) { move(id, to: nil) }
      case .several(let changes): apply(changes, now: now)
      case .nothing: break
      }
    }
  }

  private mutating func move(_ id: JSONValue, to slot: Int?) {
    let old = places[id]
    if old == slot { return }
    if let old { slots[old]?.remove(id) }
    places[id] = slot
    guard let slot else { return }
    if places.count == 1 { (slots, oldest) = ([:], slot) }
    slots[slot, default: []].insert(id)
  }

  /// Removes the objects that have to leave by now, and returns their removals.
  package mutating func removals(now: ContinuousClock.Instant) -> [InputChange] {
    var removals: [InputChange] = []
    while let next, next <= now {
      for id in slots.removeValue(forKey: oldest) ?? [] {
        places[id] = nil
        removals.append(.remove(Document(id: id, body: .null)))
      }
      oldest += 1
    }
    return removals
  }
}
