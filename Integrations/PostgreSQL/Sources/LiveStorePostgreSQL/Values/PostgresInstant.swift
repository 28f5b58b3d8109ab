import Foundation

/// A date or time of a database in UTC.
package enum PostgresInstant: Equatable {
  /// Seconds since 2000, and the microseconds after them.
  case finite(seconds: Int64, microseconds: Int32)
  case infinity
  case negativeInfinity

  /// A timestamp in binary form: microseconds since 2000.
  @inline(__always)
  init(timestamp: Int64) {
    switch timestamp {
    case .max: self = .infinity
    case .min: self = .negativeInfinity
    default:
      // Rounded down, so that the microseconds are not negative. The product may be out of range; the difference is not.
      let seconds = timestamp >= 0 ? timestamp / 1_000_000 : (timestamp + 1) / 1_000_000 - 1
      self = .finite(
        seconds: seconds, microseconds: Int32(truncatingIfNeeded: timestamp &- seconds &* 1_000_000))
    }
  }

  /// A date in binary form: days since 2000.
  init(date: Int32) {
    switch date {
    case .max: self = .infinity
    case .min: self = .negativeInfinity
    default: self = .finite(seconds: Int64(date) * 86_400, microseconds: 0)
    }
  }

  /// The microsecond that is nearest to a date; nil if no type of the server has it.
  init?(nearest date: Date) {
    if date == .postgresInfinity {
      self = .infinity
    } else if date == .postgresNegativeInfinity {
      self = .negativeInfinity
    } else {
      let whole = date.timeIntervalSinceReferenceDate.rounded(.down)
      // From 4714-11-24 BC to 5874897-12-31, which the type `date` has.
      guard -211_813_488_000..<185_330_760_393_600 ~= whole + Double(Self.reference) else { return nil }
      let microseconds = Int32(((date.timeIntervalSinceReferenceDate - whole) * 1e6).rounded())
      let carry: Int64 = microseconds == 1_000_000 ? 1 : 0
      self = .finite(
        seconds: Int64(whole) + Self.reference + carry, microseconds: carry == 1 ? 0 : microseconds)
    }
  }

  /// Seconds from 2000, where PostgreSQL's count begins, to 2001, where Foundation's does.
  private static let reference: Int64 = 366 * 86_400

  /// The nearest date, which is the same microsecond in the years 1716 to 2286.
  @inline(__always)
  var date: Date {
    switch self {
    case .infinity: return .postgresInfinity
    case .negativeInfinity: return .postgresNegativeInfinity
    case .finite(let seconds, let microseconds):
      let (whole, overflows) = (seconds - Self.reference).multipliedReportingOverflow(by: 1_000_000)
      let (total, alsoOverflows) = whole.addingReportingOverflow(Int64(microseconds))
      // One division of two exact numbers is rounded once. Beyond that the sum is: the fraction's own error is too
      // small to reach the middle between two results.
      if !overflows, !alsoOverflows, total.magnitude <= 1 << 53 {
        return Date(timeIntervalSinceReferenceDate: Double(total) / 1e6)
      }
      return Date(
        timeIntervalSinceReferenceDate: Double(seconds - Self.reference) + Double(microseconds) / 1e6)
    }
  }
}

extension ValueBytes {
  /// The date or time that the value is.
  @inline(__always)
  var instant: PostgresInstant? {
    if isBinary, kind == .timestamptz || kind == .timestamp {
      return loaded(Int64.self).map(PostgresInstant.init(timestamp:))
    }
    return unusualInstant
  }

  private var unusualInstant: PostgresInstant? {
    switch kind {
    case .date where isBinary: loaded(Int32.self).map(PostgresInstant.init(date:))
    case .date, .timestamp, .timestamptz, .text: PostgresInstant(bytes)
    default: nil
    }
  }
}
