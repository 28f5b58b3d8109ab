/// Where an object stands among others: places are ordered, and there is always one between two.
///
/// A place is a path of numbers, as those of chapters are: between 7 and 8 is 7.1, and between 7 and 7.1 is 7.0.1. Numbers leave
/// room, so that paths get longer only where twenty objects or more have been put between the same two. As a text, each
/// number has twelve digits, so the texts have the same order.
package struct StreamPlace: Hashable {
  private let levels: [UInt64]

  private static let (step, middle, limit): (UInt64, UInt64, UInt64) = (1 << 20, 1 << 47, 1 << 48)

  /// A place behind one and before another; nil is none.
  package init(between low: StreamPlace?, and high: StreamPlace?) {
    levels = Self.levels(between: low, and: high)
  }

  private static func levels(between low: StreamPlace?, and high: StreamPlace?) -> [UInt64] {
    var (lower, upper) = ((low?.levels ?? [])[...], high?.levels[...])
    var levels: [UInt64] = []
    while true {
      let (first, ceiling) = (lower.popFirst(), upper?.popFirst())
      let floor = first ?? 0
      guard let ceiling else {
        upper = nil
        if first == nil { return levels + [middle] }
        if floor < limit - step { return levels + [floor + step] }
        levels.append(floor)
        continue
      }
      let gap = min(step, (ceiling - floor) / 2)
      if gap > 0 { return levels + [first == nil ? ceiling - gap : floor + gap] }
      levels.append(floor)
      // Behind a smaller number, the rest of the upper place is no limit.
      if floor < ceiling { upper = nil }
    }
  }

  /// The text that is sorted.
  package var text: String {
    levels.map { level in
      let digits = String(level, radix: 16)
      return String(repeating: "0", count: 12 - digits.utf8.count) + digits
    }.joined()
  }
}
