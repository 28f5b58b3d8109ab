import LiveStore

/// Which windows of time there are, by their numbers.
struct GroupWindows {
  /// The window in which objects arrive now.
  var arrival: Int64 = 0
  /// The newest window of which anything is known.
  var newest: Int64?
  /// The places of the groups of each window, where old windows are removed.
  private var kept: [Int64: [Int32]] = [:]
  /// Their numbers in order.
  private var numbers: [Int64] = []
  /// How many objects had no time, and how many belonged to windows that are not kept any more.
  var untimedCount = 0
  var lateCount = 0

  /// Whether a window is one of the newest that are kept; if it displaces an older one, also the groups of that.
  ///
  /// - Complexity: O(1) for a window that is there, else O(limit), mostly to move numbers.
  mutating func keep(_ window: Int64, limit: Int) -> (isKept: Bool, displaced: [Int32]) {
    if kept[window] != nil { return (true, []) }
    var displaced: [Int32] = []
    if numbers.count == limit {
      if window < numbers[0] { return (false, []) }
      displaced = kept.removeValue(forKey: numbers.removeFirst()) ?? []
    }
    kept[window] = []
    numbers.insert(window, at: (numbers.lastIndex { $0 < window } ?? -1) + 1)
    return (true, displaced)
  }

  /// Takes in a group of a window.
  mutating func add(_ place: Int32, to window: JSONValue) {
    if case .number(let number) = window, let number: Int64 = number.integer { kept[number]?.append(place) }
  }
}
