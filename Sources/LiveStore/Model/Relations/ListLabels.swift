// Labels of entries.
//
// The order of entries within a list is that of its array. Entries also have labels, so that a list is a
// collection with identities (the observers' tree is ordered by them):
//
// - **R8** Labels ascend strictly within a list. An edit keeps the labels of the entries that it does not
//   touch. Without room between two labels, entries around get new ones, at most a few per edit on average.
// - **R9** A new list starts at a label of its own. Two entries of two lists are the same if they share
//   label and reference. A label alone may be reused with another reference, when one entry was removed and
//   another inserted in its place.
// - **R10** When an object is replaced, the ranges of its lists between unchanged entries are compared by a
//   longest common subsequence, whose entries keep their old labels. So a decoded list keeps the identities
//   of the entries that did not change. It takes O(n log n). Where elements repeat so often that pairs would
//   far outnumber them, the first is paired with the first, the second with the second, and so on, so more
//   entries than necessary may count as new.
// - **R11** A list gets another number when none of its entries stays, or when an entry that stays gets
//   another label, by new room (R8), or where old labels have none (R10). A page cursor has the number of its
//   list, and is refused once the list has another number.

import Synchronization

/// The labels that identify the entries of a list (R8, R9).
///
/// Entries appended or prepended are a gap apart; insertions between two halve their distance. When no room is left,
/// the smallest neighbourhood with room to spare is spread evenly (Paul Dietz and Daniel Sleator, "Two Algorithms for
/// Maintaining Order in a List", 1987).
enum ListLabels {
  static var gap: UInt64 { 1 << 32 }
  /// The mean distance of labels in a neighbourhood that counts as having room.
  static var room: UInt64 { 1 << 16 }

  /// Ascending labels between two; nil if there are not enough.
  static func labels(_ count: Int, after low: UInt64?, before high: UInt64?) -> [UInt64]? {
    let count = UInt64(count)
    if count == 0 { return [] }
    let (first, step): (UInt64, UInt64)
    switch (low, high) {
    case (nil, nil):
      // From here there is room for a billion entries in either direction.
      (first, step) = (1 << 62 | randomBits >> 2, gap)
    case (let low?, nil):
      step = min(gap, (.max - low) / (count + 1))
      first = low &+ step
    case (nil, let high?):
      step = min(gap, high / (count + 1))
      first = high &- count * step
    case (let low?, let high?):
      step = (high - low) / (count + 1)
      first = low + step
    }
    if step == 0 { return nil }
    return (0..<count).map { first + $0 * step }
  }

  /// Different for every list: the chance that two start near each other is one in billions.
  private static var randomBits: UInt64 { wordHash(number()) }

  /// A number that no other call returns.
  static func number() -> UInt64 { numbers.wrappingAdd(1, ordering: .relaxed).newValue }
}

private let numbers = Atomic<UInt64>(0)

extension RefList {
  /// Gives new labels to a range of entries and to as many around it as are needed for room.
  mutating func spreadLabels(around range: Range<Int>) {
    var window = range
    while true {
      let low = window.lowerBound > 0 ? slots[window.lowerBound - 1].label : 0
      let high = window.upperBound < slots.count ? slots[window.upperBound].label : .max
      let step = (high - low) / (UInt64(window.count) + 1)
      if step >= ListLabels.room || window == indices {
        for (offset, index) in window.enumerated() { slots[index].label = low + (UInt64(offset) + 1) * step }
        numbering = ListLabels.number()
        return
      }
      let more = window.count / 2 + 4
      window = (window.lowerBound - more..<window.upperBound + more).clamped(to: indices)
    }
  }
}
