import LiveStore

/// What is drawn behind the columns of a group: a bar for its total, or the course of its values.
///
/// ```
/// devel    25  ██▌
/// libs    301  ██████████████████████████████
/// ```
package struct TableChart: Sendable {
  /// The member with the values of which a course is drawn, an array of numbers.
  package static let trend = ["trend"]
  /// How wide a chart is.
  private static let widths = 4...30

  /// Where the total of a group stands.
  package let path: [String]
  /// The largest total of the rows that have been measured.
  private var largest = 0.0

  /// A chart of the totals at a path.
  package init(path: [String]) { self.path = path }

  /// How wide it is on lines of a width; 0 if there is no room.
  package func width(in width: Int) -> Int {
    width / 3 < Self.widths.lowerBound ? 0 : min(Self.widths.upperBound, width / 3)
  }

  /// Forgets the rows that have been measured.
  package mutating func reset() { largest = 0 }

  /// Takes in a row with which others are compared.
  package mutating func measure(_ document: Document) {
    largest = max(largest, Self.number(document.value(at: path)))
  }

  /// What is drawn for a row, no wider than that.
  package func text(of document: Document, width: Int) -> String {
    if case .array(let values)? = document.value(at: Self.trend) {
      return Self.course(values.suffix(width).map(Self.number))
    }
    let total = Self.number(document.value(at: path))
    if total <= 0 || largest <= 0 { return "" }
    let eighths = max(1, Int((min(1, total / largest) * Double(8 * width)).rounded()))
    let rest = eighths % 8 == 0 ? "" : String(Self.lying[eighths % 8 - 1])
    return String(repeating: "█", count: eighths / 8) + rest
  }

  private static let lying = Array("▏▎▍▌▋▊▉".unicodeScalars)
  private static let standing = Array("▁▂▃▄▅▆▇█".unicodeScalars)

  /// A block for each value, the largest of which has the full height.
  private static func course(_ values: [Double]) -> String {
    let largest = values.max() ?? 0
    return String(
      String.UnicodeScalarView(
        values.map { value in
          standing[value > 0 ? Int((value / largest * Double(standing.count - 1)).rounded()) : 0]
        }))
  }

  private static func number(_ value: JSONValue?) -> Double {
    if case .number(let number)? = value { number.double } else { 0 }
  }
}
