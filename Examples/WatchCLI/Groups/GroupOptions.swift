import LiveStore

/// How objects are grouped, and what is shown of a group.
package struct GroupOptions: Hashable, Sendable {
  /// The paths by whose values objects are grouped; what is missing is null. Without any, all are one group.
  package var paths: [KeyPathText]
  /// Whether the number of objects is shown.
  package var hasCount = true
  /// The totals that are shown.
  package var totals: [GroupTotal] = []
  /// The windows of time by which objects are grouped first; nil for none.
  package var every: GroupWindow?
  /// How many windows are kept, the newest; nil for all.
  package var keptWindows: Int?
  /// Whether a group is not split by windows: it has the totals of the newest, and the counts of the last.
  package var showsTrend = false

  /// Whether the window is one of the values by which groups are made.
  var splitsByWindow: Bool { every != nil && !showsTrend }

  /// Whether there is one group, also without objects.
  var isWhole: Bool { paths.isEmpty && every == nil }

  /// The names of a group's values.
  var titles: [String] {
    (every == nil ? [] : ["window"]) + paths.map(\.title) + (hasCount ? ["count"] : [])
      + (every == nil ? [] : ["rate"]) + totals.map(\.title) + (showsTrend ? ["trend"] : [])
  }

  /// The first name that two values have; nil if there is none.
  var repeatedTitle: String? {
    var known: Set<ComparedText> = []
    return titles.first { !known.insert(ComparedText($0)).inserted }
  }

  /// What is needed of each path of which there are totals.
  ///
  /// - Parameter areKept: whether an object may be removed.
  func needs(areKept: Bool) -> [PathNeeds] {
    var kinds: [KeyPathText: [GroupTotal.Kind]] = [:]
    var paths: [KeyPathText] = []
    for total in totals {
      if kinds[total.path] == nil { paths.append(total.path) }
      kinds[total.path, default: []].append(total.kind)
    }
    return paths.map { PathNeeds($0, kinds[$0] ?? [], areKept: areKept) }
  }
}
