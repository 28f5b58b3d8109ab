import Foundation

/// Where values are on a panel: both axes are logarithmic, and the second one covers whole powers of ten.
struct Scale {
  static let left = 64.0
  static let right = Panel.width - 16
  static let top = 28.0
  static let bottom = Panel.height - 44

  let xTicks: [Double]
  let yTicks: [Double]

  init(_ series: [Panel.Series]) {
    let points = series.flatMap(\.points)
    xTicks = Set(points.map(\.x)).sorted()
    let costs = points.flatMap { [$0.cost.lower, $0.cost.upper] }.filter { $0 > 0 }
    let lowest = Int(log10(costs.min() ?? 1).rounded(.down))
    // Room for the names of the series.
    let highest = max(lowest + 1, Int(log10(costs.max() ?? 10).rounded(.up))) + 1
    yTicks = (lowest...highest).map { pow(10, Double($0)) }
  }

  func x(_ value: Double) -> Double {
    place(value, xTicks[0], xTicks[xTicks.count - 1], Self.left + 12, Self.right - 24)
  }

  func y(_ value: Double) -> Double {
    place(max(value, yTicks[0]), yTicks[0], yTicks[yTicks.count - 1], Self.bottom, Self.top)
  }

  private func place(_ value: Double, _ from: Double, _ to: Double, _ start: Double, _ end: Double) -> Double
  {
    let place = start + (log10(value) - log10(from)) / (log10(to) - log10(from)) * (end - start)
    return (place * 10).rounded() / 10
  }
}
