import Synchronization

/// The labels by which a list knows its entries.
///
/// - **R8** Labels ascend strictly within a list. An edit keeps those of the entries it leaves alone, except that
///   where there is no room between two, those around get new ones, at most a few an edit on average.
/// - **R9** A list made anew starts at a label of its own, so an entry that has label and reference in common
///   with one of another list is that one, kept by the edits that led from one list to the other.
///
/// Entries appended or prepended are a gap apart; those put between two halve what there is. When nothing is
/// left the smallest neighbourhood with room to spare is spread evenly (Paul Dietz and Daniel Sleator, "Two
/// Algorithms for Maintaining Order in a List", 1987).
enum ListLabels {
  static var gap: UInt64 { 1 << 32 }
  /// The mean distance of labels in a neighbourhood that counts as having room.
  static var room: UInt64 { 1 << 16 }

  /// Ascending labels between two; nil where there are not so many.
  static func labels(_ count: Int, after low: UInt64?, before high: UInt64?) -> [UInt64]? {
    let count = UInt64(count)
    if count == 0 { return [] }
    let (first, step): (UInt64, UInt64)
    switch (low, high) {
    case (nil, nil):
      // From here there is room for a thousand million entries in either direction.
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

  /// Different for every list: no two start near each other, but by a chance of one in thousands of millions.
  private static var randomBits: UInt64 { wordHash(listsMade.wrappingAdd(1, ordering: .relaxed).newValue) }
}

/// How many lists were made anew.
private let listsMade = Atomic<UInt64>(0)

extension RefList {
  /// Gives new labels to a range of entries and to as many around it as it takes to have room.
  mutating func spreadLabels(around range: Range<Int>) {
    var window = range
    while true {
      let low = window.lowerBound > 0 ? slots[window.lowerBound - 1].label : 0
      let high = window.upperBound < slots.count ? slots[window.upperBound].label : .max
      let step = (high - low) / (UInt64(window.count) + 1)
      if step >= ListLabels.room || window == indices {
        for (place, index) in window.enumerated() { slots[index].label = low + (UInt64(place) + 1) * step }
        return
      }
      let more = window.count / 2 + 4
      window = (window.lowerBound - more..<window.upperBound + more).clamped(to: indices)
    }
  }
}
