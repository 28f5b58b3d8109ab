import Foundation

/// A plot with logarithmic axes: how a cost grows.
struct Panel {
  struct Series {
    let name: String
    let points: [(x: Double, cost: Spread)]
  }

  static let width = 420.0
  static let height = 300.0
  /// Distinguishable in greyscale and with the common kinds of colour blindness.
  private static let colours = ["#0b62a4", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#5b5b5b"]

  let title: String
  let axis: String
  let unit: Figure.Unit
  let series: [Series]

  func svg(x: Double, y: Double) -> String {
    var parts = ["<g transform=\"translate(\(x) \(y))\">", text(10, 18, title, "class=\"title\"")]
    let scale = Scale(series)
    parts += gridLines(scale)
    for (index, one) in series.enumerated() {
      parts += lines(one, Self.colours[index % Self.colours.count], scale)
      let row = Double(index) * 14
      let colour = Self.colours[index % Self.colours.count]
      parts.append(
        "<rect x=\"\(Scale.left + 8)\" y=\"\(32 + row)\" width=\"10\" height=\"3\" fill=\"\(colour)\"/>")
      parts.append(text(Scale.left + 22, 37 + row, one.name, "class=\"key\""))
    }
    return (parts + ["</g>"]).joined(separator: "\n")
  }

  private func gridLines(_ scale: Scale) -> [String] {
    var parts: [String] = []
    for value in scale.xTicks {
      let x = scale.x(value)
      parts.append("<path class=\"grid\" d=\"M\(x) \(Scale.top)V\(Scale.bottom)\"/>")
      parts.append(text(x, Scale.bottom + 14, Table.grouped(Int(value)), "text-anchor=\"middle\""))
    }
    for value in scale.yTicks {
      let y = scale.y(value)
      parts.append("<path class=\"grid\" d=\"M\(Scale.left) \(y)H\(Scale.right)\"/>")
      parts.append(text(Scale.left - 5, y + 3, tick(value), "text-anchor=\"end\""))
    }
    parts.append(text((Scale.left + Scale.right) / 2, Scale.bottom + 28, axis, "text-anchor=\"middle\""))
    return parts
  }

  private func lines(_ one: Series, _ colour: String, _ scale: Scale) -> [String] {
    let path = one.points.enumerated().map { index, point in
      "\(index == 0 ? "M" : "L")\(scale.x(point.x)) \(scale.y(point.cost.median))"
    }
    var parts = ["<path d=\"\(path.joined())\" fill=\"none\" stroke=\"\(colour)\" stroke-width=\"2\"/>"]
    for point in one.points {
      let (x, low, high) = (scale.x(point.x), scale.y(point.cost.lower), scale.y(point.cost.upper))
      parts.append("<path d=\"M\(x) \(low)V\(high)\" stroke=\"\(colour)\"/>")
      parts.append("<circle cx=\"\(x)\" cy=\"\(scale.y(point.cost.median))\" r=\"3\" fill=\"\(colour)\"/>")
    }
    return parts
  }

  private func tick(_ value: Double) -> String {
    switch unit {
    case .nanoseconds:
      let (factor, name) =
        [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns")].first { value >= $0.0 } ?? (1, "ns")
      return "\(plain(value / factor)) \(name)"
    case .bytes: return "\(plain(value)) B"
    }
  }

  private func plain(_ value: Double) -> String {
    value >= 1 ? Table.grouped(Int(value.rounded())) : String(format: "%g", value)
  }

  private func text(_ x: Double, _ y: Double, _ words: String, _ attributes: String) -> String {
    "<text x=\"\(x)\" y=\"\(y)\" \(attributes)>\(words.escapedForXML)</text>"
  }
}

extension String {
  var escapedForXML: String {
    replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
  }
}
