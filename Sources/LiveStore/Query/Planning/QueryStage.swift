// Stages.
//
// A query is a list of stages, each a filter, an order and a window. `where` and `sorted` after a window
// start a new stage. A stage's tree holds all rows that pass; its window is a range of ranks.

/// One step of a query: a filter, an order, and a window of the result.
package struct QueryStage: Hashable, Sendable, CustomStringConvertible {
  /// The list that the first stage starts from; nil for the table.
  package var source: ListSource?
  package var filter = ConditionTree.constant(true)
  package var order = RowOrder(keys: [])
  /// Whether the stage has the order of the preceding window, until it gets a key of its own.
  package var inheritsOrder = false
  package var offset = 0
  package var limit: Int?
  /// Linked values whose difference counts as a difference of the row, beside those that the filter names.
  private(set) package var tracking: Set<NamedValue> = []
  /// Whether a window was requested, even the whole: the next step then begins another stage.
  package var hasWindow = false
  /// How many of the first keys of the order exist only for the next stage and were not requested.
  package var servingKeys = 0
  /// If not empty, the stage takes the first row of each value of these keys from the stage before, whose order
  /// begins with them.
  package var distinct: [SortKey] = []
  /// How many rows an evaluation of the query may visit; nil for any number.
  package var maximumVisits: Int?

  /// The tracked values, in the order of their names.
  var tracked: [NamedValue] {
    tracking.count < 2 ? Array(tracking) : tracking.sorted { $0.term.description < $1.term.description }
  }

  /// Selects the rows that meet a condition. Linked values that it names change the rows, also where they decide nothing
  /// (Q5).
  mutating func select(_ added: ConditionTree) {
    let whole = filter.and(added)
    filter = whole.simplified
    track(whole.named(notIn: filter))
  }

  /// Tracks linked values, in one form for all stages that have the same.
  mutating func track(_ named: Set<NamedValue>) {
    tracking.formUnion(named)
    if tracking.isEmpty { return }
    if filter == .constant(false) { tracking = [] } else { tracking.subtract(filter.named) }
  }

  /// The ranks of the window in a result of `count` rows.
  package func window(of count: Int) -> Range<Int> {
    let start = min(offset, count)
    return start..<(limit.map { start + min($0, count - start) } ?? count)
  }

  package var description: String {
    var text = source?.description ?? ""
    if filter != .constant(true) { text += ".where { \(filter) }" }
    if !distinct.isEmpty {
      text += ".distinct(by: \(distinct.map(\.description).joined(separator: ", ")))"
    } else {
      for key in order.keys.dropFirst(servingKeys) { text += ".sorted(by: \(key))" }
    }
    for value in tracked { text += ".tracking(\(value.term))" }
    if offset > 0 { text += ".offset(\(offset))" }
    if let limit { text += ".limit(\(limit))" }
    if let maximumVisits { text += ".visiting(atMost: \(maximumVisits))" }
    return text
  }
}
