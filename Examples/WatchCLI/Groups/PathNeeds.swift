import LiveStore

/// What the totals of a path need of the values there.
struct PathNeeds: Hashable, Sendable {
  /// Which values are kept in order, each with how often it is there.
  enum Values: Comparable {
    case none, numbers, numbersAndTexts, all
  }

  /// The path.
  let steps: [String]
  /// Whether numbers are added up.
  let hasSum: Bool
  /// The values that are kept.
  let values: Values
  /// Whether of these the first and the last are enough, since none is removed.
  let endsSuffice: Bool

  /// What the totals of one path need.
  ///
  /// - Parameter areKept: whether an object may be removed.
  init(_ path: KeyPathText, _ kinds: [GroupTotal.Kind], areKept: Bool) {
    steps = path.steps
    hasSum = kinds.contains { $0 == .sum || $0 == .average }
    let needed = kinds.map(Self.values)
    values = needed.max() ?? .none
    endsSuffice = !areKept && needed.allSatisfy { $0 == .none || $0 == .numbersAndTexts }
  }

  private static func values(of kind: GroupTotal.Kind) -> Values {
    switch kind {
    case .sum, .average: .none
    case .percentile: .numbers
    case .least, .greatest: .numbersAndTexts
    case .distinctCount: .all
    }
  }

  /// Whether a value has a part in the totals.
  func include(_ value: JSONValue) -> Bool {
    switch value {
    case .number: true
    case .string: values >= .numbersAndTexts
    default: values == .all
    }
  }
}
