import LiveStore

/// Which windows of time there are, by their numbers.
struct GroupWindows {
  /// The window in which objects arrive now.
  var arrival: Int64 = 0
  /// The newest window of which anything is known.
  var newest: Int64?
  /// The places of the groups of each window, where old windows are removed.
  private var kept: [JSONValue: [Int32]] = [:]
  private var oldest: Int64 = .max
  /// How many objects had no time.
  var untimedCount = 0

  /// Whether a window is one of the newest that are kept; if it displaces an older one, also the groups of that.
  ///
  /// - Complexity: O(1), and O(limit) for a window that displaces another.
  mutating func keep(_ window: Int64, limit: Int) -> (isKept: Bool, displaced: [Int32]) {
    if kept[JSONValue(window)] != nil { return (true, []) }
    var displaced: [Int32] = []
    if kept.count == limit {
      if window < oldest { return (false, []) }
      displaced = kept.removeValue(forKey: JSONValue(oldest)) ?? []
      oldest = kept.keys.lazy.compactMap(Self.number).min() ?? .max
    }
    kept[JSONValue(window)] = []
    oldest = min(oldest, window)
    return (true, displaced)
  }

  /// Takes in a group of a window.
  mutating func add(_ place: Int32, to window: JSONValue) {
    kept[window]?.append(place)
  }

  private static func number(_ value: JSONValue) -> Int64? {
    if case .number(let number) = value { number.integer } else { nil }
  }
}
