/// A total of the values that the objects of a group have at a path.
package struct GroupTotal: Hashable, Sendable {
  /// What is computed of the values.
  package enum Kind: Hashable, Sendable {
    /// The exact sum of the numbers.
    case sum
    /// The sum divided by how many numbers there are.
    case average
    /// The smallest or largest of the numbers; of the texts where there is no number.
    case least, greatest
    /// How many different values there are; null is none.
    case distinctCount
    /// The number at a rank.
    case percentile(Percentile)
  }

  /// What is computed.
  package let kind: Kind
  /// Where the values stand.
  package let path: KeyPathText

  /// The name under which it is shown.
  var title: String { "\(kind.name)(\(path.title))" }
}

extension GroupTotal.Kind {
  /// Whether it is of numbers alone.
  var isOfNumbers: Bool {
    switch self {
    case .sum, .average, .percentile: true
    case .least, .greatest, .distinctCount: false
    }
  }

  private static let names: KeyValuePairs<String, Self> = [
    "sum": .sum, "avg": .average, "min": .least, "max": .greatest, "distinct": .distinctCount,
  ]

  /// The kind of a name; nil if there is none.
  init?(name: String) {
    if let kind = Self.names.first(where: { $0.key == name })?.value {
      self = kind
    } else if name.utf8.first == UInt8(ascii: "p"),
      let percentile = Percentile(String(name.unicodeScalars.dropFirst()))
    {
      self = .percentile(percentile)
    } else {
      return nil
    }
  }

  /// The name, as `p99.9`.
  var name: String {
    if case .percentile(let percentile) = self { return "p\(percentile.text)" }
    return Self.names.first { $0.value == self }?.key ?? ""
  }
}
