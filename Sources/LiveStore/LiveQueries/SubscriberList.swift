/// The ids of subscribers, ascending: in the order in which they were made, and are woken (L15).
///
/// A removed id keeps its slot, with the highest bit set, until fewer than half of the slots are in use. So
/// neither the most usual insertion nor a removal moves the ids behind it.
package struct SubscriberList {
  private var slots: [UInt64] = []
  /// How many ids there are.
  package private(set) var count = 0

  fileprivate static let removedBit: UInt64 = 1 << 63

  package init() {}

  package var isEmpty: Bool { count == 0 }

  /// Adds an id, unless it is there.
  ///
  /// - Complexity: O(1) for the highest one; O(*n*) for others, such as the id of a late observer.
  package mutating func insert(_ id: UInt64) {
    let slot = firstSlot(from: id)
    if slot < slots.count, slots[slot] & ~Self.removedBit == id {
      if slots[slot] == id { return }
      slots[slot] = id
    } else {
      slots.insert(id, at: slot)
    }
    count += 1
  }

  /// Removes an id, if it is there.
  ///
  /// - Complexity: O(log *n*), amortised.
  package mutating func remove(_ id: UInt64) {
    let slot = firstSlot(from: id)
    guard slot < slots.count, slots[slot] == id else { return }
    slots[slot] |= Self.removedBit
    count -= 1
    if count < slots.count / 2 || count == 0 { slots.removeAll { $0 & Self.removedBit != 0 } }
  }

  /// The first slot whose id is not less than another.
  private func firstSlot(from id: UInt64) -> Int {
    guard let last = slots.last, last & ~Self.removedBit >= id else { return slots.count }
    var (low, high) = (0, slots.count)
    while low < high {
      let middle = (low + high) / 2
      if slots[middle] & ~Self.removedBit < id { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension SubscriberList: Sequence {
  package struct Iterator: IteratorProtocol {
    fileprivate var slots: IndexingIterator<[UInt64]>

    package mutating func next() -> UInt64? {
      while let id = slots.next() {
        if id & SubscriberList.removedBit == 0 { return id }
      }
      return nil
    }
  }

  package func makeIterator() -> Iterator { Iterator(slots: slots.makeIterator()) }
}
