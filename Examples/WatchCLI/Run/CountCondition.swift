/// How many objects a result has when the tool ends.
package struct CountCondition: Hashable, Sendable {
  private let comparison: String
  private let count: Int

  /// That there is no object.
  static let empty = CountCondition(comparison: "==", count: 0)

  private init(comparison: String, count: Int) {
    (self.comparison, self.count) = (comparison, count)
  }

  /// Reads `5`, which is at least 5, or `< 5`; nil if it is neither.
  package init?(_ text: String) {
    let scalars = text.unicodeScalars
    let sign = scalars.prefix { "<=>".unicodeScalars.contains($0) }
    guard let count = Int(String(scalars[sign.endIndex...].drop { $0 == " " })), count >= 0,
      ["", "<", "<=", "=", "==", ">=", ">"].contains(String(sign))
    else { return nil }
    self.init(comparison: String(sign), count: count)
  }

  /// Whether a result with so many objects meets it.
  package func isMet(by number: Int) -> Bool {
    switch comparison {
    case "<": number < count
    case "<=": number <= count
    case "=", "==": number == count
    case ">": number > count
    default: number >= count
    }
  }
}
