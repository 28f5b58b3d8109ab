import Foundation
import LiveStore

/// Windows of time of one length, beginning at its multiples since 1970 in UTC.
package struct GroupWindow: Hashable, Sendable {
  /// How long a window is.
  package let milliseconds: Int64
  /// Where the time of an object stands; nil for when it arrives.
  package let path: KeyPathText?

  /// Reads a length such as `10s`, `500ms`, `1m`, `1h` or `1d`, up to a year; nil for any other text.
  package init?(length: String, path: KeyPathText?) {
    let units: [(name: String, milliseconds: Int64)] = [
      ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]
    let digits = length.unicodeScalars.prefix { $0 >= "0" && $0 <= "9" }
    guard let unit = units.first(where: { $0.name == String(length.unicodeScalars.dropFirst(digits.count)) }),
      let count = Int32(String(digits)), count > 0, Int64(count) * unit.milliseconds <= 366 * 86_400_000
    else { return nil }
    (milliseconds, self.path) = (Int64(count) * unit.milliseconds, path)
  }

  /// How long a window is in seconds.
  package var seconds: Double { Double(milliseconds) / 1_000 }

  /// Whether an object belongs to the window in which it arrives.
  package var isByArrival: Bool { path == nil }

  /// When the window of this moment ends.
  var nextEnd: ContinuousClock.Instant {
    let rest = seconds - Date().timeIntervalSince1970.truncatingRemainder(dividingBy: seconds)
    return .now + .seconds(rest)
  }

  /// The number of the window of a time, counted from 1970.
  func number(of time: UTCTime) -> Int64 {
    (time.milliseconds - (time.milliseconds < 0 ? milliseconds - 1 : 0)) / milliseconds
  }

  /// The number of the window to which the time of an object belongs; nil if there is no time at the path.
  func number(of document: Document) -> Int64? {
    path.flatMap { path in
      document.withObject { $0.text(at: path.steps).flatMap(UTCTime.init) }.map { number(of: $0) }
    }
  }

  /// The beginning of a window as text, with milliseconds if it is shorter than a second.
  func title(of number: Int64) -> JSONValue {
    .string(UTCTime(milliseconds: number * milliseconds).text(hasMilliseconds: milliseconds < 1_000))
  }
}
