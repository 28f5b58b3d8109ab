import Foundation

/// Numbers, times and dates as the tool shows them.
enum Figures {
  /// A number with its digits in groups of three.
  static func count(_ number: some BinaryInteger) -> String {
    var (digits, groups) = (Array(String(number.magnitude)), [String]())
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return (number < 0 ? "-" : "") + ([String(digits)] + groups).joined(separator: ",")
  }

  /// A time in a unit that fits.
  static func time(_ duration: Duration?) -> String {
    guard let duration else { return "" }
    let seconds = duration / .seconds(1)
    if seconds < 1e-3 { return String(format: "%.0f µs", seconds * 1e6) }
    return seconds < 1 ? String(format: "%.1f ms", seconds * 1e3) : String(format: "%.1f s", seconds)
  }

  static func bytes(_ number: Int) -> String {
    if number < 1_000 { return "\(number) B" }
    return number < 1_000_000
      ? String(format: "%.1f kB", Double(number) / 1e3) : String(format: "%.1f MB", Double(number) / 1e6)
  }

  /// The time of day.
  static func clock(_ date: Date) -> String {
    let parts = Calendar.current.dateComponents([.hour, .minute, .second], from: date)
    return String(format: "%02d:%02d:%02d", parts.hour ?? 0, parts.minute ?? 0, parts.second ?? 0)
  }
}
