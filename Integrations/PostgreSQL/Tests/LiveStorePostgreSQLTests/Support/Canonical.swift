import Foundation
import LiveStorePostgreSQL

/// The text form in which values of the store and of the server are compared.
///
/// Each kind has an SQL expression that gives the same, and reads no text that the server has formatted for people.
enum Canonical {
  static let null = "∅"
  /// Between the elements of a list.
  static let separator = "\u{1E}"

  static func text(_ value: UUID) -> String { value.uuidString }

  /// The bits. Of 0 and -0, which are equal, the store keeps the one that it had, so both are 0 here.
  static func text(_ value: Double) -> String {
    hexadecimal(value.isNaN ? 0x7FF8 << 48 : (value + 0).bitPattern, 16)
  }

  static func text(_ value: Float) -> String {
    hexadecimal(value.isNaN ? 0x7FC0_0000 : UInt64((value + 0).bitPattern), 8)
  }

  private static func hexadecimal(_ bits: UInt64, _ digits: Int) -> String {
    let text = String(bits, radix: 16)
    return String(repeating: "0", count: digits - text.count) + text
  }

  static func text(_ value: Decimal) -> String { value.isNaN ? "NaN" : value.description }

  /// Microseconds since 1970. They are counted from 2001, as dates are, so that none is lost by rounding.
  static func text(_ value: Date) -> String {
    switch value {
    case .postgresInfinity: "infinity"
    case .postgresNegativeInfinity: "-infinity"
    default: "\(Int((value.timeIntervalSinceReferenceDate * 1_000_000).rounded()) + 978_307_200_000_000)"
    }
  }

  static func text(_ value: World.Meta) -> String {
    [value.name, "\(value.level)", list(value.tags), value.at.map(text) ?? null].joined(separator: "\u{1D}")
  }

  static func list(_ values: [String?]) -> String {
    "\(values.count):" + values.map { $0 ?? null }.joined(separator: separator)
  }
}
