import Foundation

/// Numbers, amounts of bytes and times as people read them.
enum Quantity {
  /// Three digits and a unit: `950`, `1.25k`, `12.5M`.
  static func text(_ number: Double) -> String { text(number, units: ["", "k", "M", "G", "T"]) }

  /// Three digits and a unit of a thousand bytes each: `950 B`, `1.25 kB`, `12.5 MB`.
  static func text(ofBytes number: Double) -> String {
    text(number, units: [" B", " kB", " MB", " GB", " TB", " PB"])
  }

  private static func text(_ number: Double, units: [String]) -> String {
    var (value, unit) = (number, 0)
    // What would be rounded to a thousand is one of the next unit.
    while value >= 999.5, unit + 1 < units.count { (value, unit) = (value / 1_000, unit + 1) }
    let digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2
    return String(format: "%.\(digits)f", value) + units[unit]
  }

  /// Minutes and seconds, `0:07`, or hours, `1:02:03`.
  static func text(_ time: Duration) -> String {
    let seconds = Int(time.components.seconds)
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
    let end = String(format: "%02d", seconds % 60)
    return hours > 0 ? "\(hours):\(String(format: "%02d", minutes)):\(end)" : "\(minutes):\(end)"
  }
}
