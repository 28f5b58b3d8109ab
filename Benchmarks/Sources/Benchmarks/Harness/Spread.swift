/// A median with its quartiles.
struct Spread: Codable, Sendable {
  let median: Double
  let lower: Double
  let upper: Double

  init(_ values: [Double]) {
    let sorted = values.sorted()
    median = Self.quantile(0.5, of: sorted)
    lower = Self.quantile(0.25, of: sorted)
    upper = Self.quantile(0.75, of: sorted)
  }

  /// A quantile of sorted values, interpolated between neighbours.
  static func quantile(_ fraction: Double, of sorted: [Double]) -> Double {
    guard let last = sorted.last else { return .nan }
    let position = fraction * Double(sorted.count - 1)
    let index = Int(position)
    guard index + 1 < sorted.count else { return last }
    return sorted[index] + (sorted[index + 1] - sorted[index]) * (position - Double(index))
  }
}
