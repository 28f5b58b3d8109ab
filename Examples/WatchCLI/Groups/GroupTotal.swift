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

  /// A total of the values at a path.
  package init(_ kind: Kind, of path: KeyPathText) {
    (self.kind, self.path) = (kind, path)
  }

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

  /// The kind of a name; nil if there is none.
  init?(name: String) {
    switch name {
    case "sum": self = .sum
    case "avg": self = .average
    case "min": self = .least
    case "max": self = .greatest
    case "distinct": self = .distinctCount
    default:
      guard name.utf8.first == UInt8(ascii: "p"),
        let percentile = Percentile(String(name.unicodeScalars.dropFirst()))
      else {
        return nil
      }
      self = .percentile(percentile)
    }
  }

  /// The name, as `p99.9`.
  var name: String {
    switch self {
    case .sum: "sum"
    case .average: "avg"
    case .least: "min"
    case .greatest: "max"
    case .distinctCount: "distinct"
    case .percentile(let percentile): "p\(percentile.text)"
    }
  }
}
