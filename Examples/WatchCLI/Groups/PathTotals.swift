import LiveStore

/// The totals of the values that a group's objects have at one path.
struct PathTotals {
  private var sum = DecimalSum()
  /// The numbers, the texts and the other values, if values are kept.
  private var values: [OrderedCounts] = []

  /// Adds the value of an object, or removes it.
  mutating func add(_ value: GroupValue, isRemoval: Bool, _ needs: PathNeeds) {
    if needs.hasSum { sum.add(value, isRemoval: isRemoval) }
    guard needs.values != .none, case .value(let value) = value, !value.isNull else { return }
    if values.isEmpty { values = Array(repeating: OrderedCounts(), count: 3) }
    let kind = if case .number = value { 0 } else if case .string = value { 1 } else { 2 }
    values[kind].add(value, isRemoval: isRemoval)
    if needs.endsSuffice { values[kind].keepEnds() }
  }

  /// A total; null where there is none, or where it is beyond the numbers of JSON values.
  func value(of kind: GroupTotal.Kind) -> JSONValue {
    switch kind {
    case .sum: (try? JSONValue(parsing: sum.description)) ?? .null
    case .average: sum.average.map { JSONValue($0) } ?? .null
    case .least: values.prefix(2).lazy.compactMap(\.first).first ?? .null
    case .greatest: values.prefix(2).lazy.compactMap(\.last).first ?? .null
    case .distinctCount: JSONValue(values.reduce(0) { $0 + $1.distinctCount })
    case .percentile(let percentile): values.first?.value(at: percentile) ?? .null
    }
  }
}

extension OrderedCounts {
  /// The value at a percentage of the ranks; nil if there is none.
  fileprivate func value(at percentile: Percentile) -> JSONValue? {
    count == 0 ? nil : self[percentile.index(in: count)]
  }
}
