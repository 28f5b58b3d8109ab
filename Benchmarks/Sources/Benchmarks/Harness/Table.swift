import Foundation

/// Figures as lines of text.
enum Table {
  static func lines(_ figure: Figure) -> [String] {
    var lines: [String] = []
    let size =
      figure.parameter.map { "\(grouped(figure.parameterValue)) \($0)" } ?? "\(grouped(figure.rows)) rows"
    let own = figure.entries[0]
    lines.append(
      "\(pad(figure.work, 56)) \(pad(size, 18)) \(own.name) \(shown(own.cost.median, figure.unit))"
        + " (\(shown(own.cost.lower, figure.unit)) to \(shown(own.cost.upper, figure.unit)))")
    for (index, entry) in figure.entries.dropFirst().enumerated() {
      let start = "\(pad("", 58))\(pad(entry.name, 34)) \(pad(shown(entry.cost.median, figure.unit), 10))"
      lines.append(start + (index < figure.ratios.count ? " ratio \(text(figure.ratios[index].value))" : ""))
    }
    for bound in figure.bounds {
      lines.append("\(pad("", 58))\(bound.holds ? "holds " : "MISSED") \(text(bound, figure.unit))")
    }
    return lines
  }

  static func text(_ ratio: Spread) -> String {
    "\(ratioText(ratio.median)) (\(ratioText(ratio.lower)) to \(ratioText(ratio.upper)))"
  }

  /// A bound beside what was measured.
  static func text(_ bound: Figure.Bound, _ unit: Figure.Unit) -> String {
    switch bound.wanted {
    case .ratio(let limit, let peer):
      "wanted at most \(ratioText(limit)) times \(peer), is \(ratioText(bound.value))"
    case .cost(let limit): "wanted at most \(shown(limit, unit)), is \(shown(bound.value, unit))"
    }
  }

  static func shown(_ value: Double, _ unit: Figure.Unit) -> String {
    switch unit {
    case .nanoseconds: duration(value)
    case .bytes: "\(digits(value)) B"
    }
  }

  /// A ratio with two or three digits that count, as a fraction where it is small.
  static func ratioText(_ value: Double) -> String {
    guard value.isFinite else { return "–" }
    return value < 0.1 && value > 0 ? "1/\(grouped(Int((1 / value).rounded())))" : digits(value)
  }

  static func duration(_ nanoseconds: Double) -> String {
    switch abs(nanoseconds) {
    case ..<1_000: "\(digits(nanoseconds)) ns"
    case ..<1_000_000: "\(digits(nanoseconds / 1e3)) µs"
    case ..<1_000_000_000: "\(digits(nanoseconds / 1e6)) ms"
    default: "\(digits(nanoseconds / 1e9)) s"
    }
  }

  static func digits(_ value: Double) -> String {
    switch abs(value) {
    case 0: "0"
    case ..<0.001: String(format: "%.6f", value)
    case ..<0.1: String(format: "%.4f", value)
    case ..<10: String(format: "%.2f", value)
    case ..<100: String(format: "%.1f", value)
    default: grouped(Int(value.rounded()))
    }
  }

  static func grouped(_ value: Int) -> String {
    var text = ""
    for (index, digit) in String(abs(value)).reversed().enumerated() {
      if index > 0 && index % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return (value < 0 ? "-" : "") + String(text.reversed())
  }

  static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
