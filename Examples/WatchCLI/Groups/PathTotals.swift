import LiveStore

/// The totals of the values that a group's objects have at one path.
struct PathTotals {
  private var sum = DecimalSum()
  /// The values that are kept, by their kinds.
  private var numbers = OrderedCounts()
  private var texts = OrderedCounts()
  private var others = OrderedCounts()

  /// Adds the value of an object, or removes it.
  mutating func add(_ value: GroupValue, isRemoval: Bool, _ needs: PathNeeds) {
    if needs.hasSum { sum.add(value, isRemoval: isRemoval) }
    guard needs.values != .none, case .value(let value) = value else { return }
    switch value {
    case .null: return
    case .number: numbers.add(value, isRemoval: isRemoval)
    case .string: texts.add(value, isRemoval: isRemoval)
    default: others.add(value, isRemoval: isRemoval)
    }
    if needs.endsSuffice {
      numbers.keepEnds()
      texts.keepEnds()
    }
  }

  /// A total; null where there is none, or where it is beyond the numbers of JSON values.
  func value(of kind: GroupTotal.Kind) -> JSONValue {
    switch kind {
    case .sum: (try? JSONValue(parsing: sum.description)) ?? .null
    case .average: sum.average.map { JSONValue($0) } ?? .null
    case .least: numbers.first ?? texts.first ?? .null
    case .greatest: numbers.last ?? texts.last ?? .null
    case .distinctCount:
      JSONValue(numbers.distinctCount + texts.distinctCount + others.distinctCount)
    case .percentile(let percentile):
      numbers.count == 0 ? .null : numbers[percentile.index(in: numbers.count)]
    }
  }
}
