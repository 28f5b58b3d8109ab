public import Foundation

/// A value that maps to 64 bits in its own order, so that most comparisons do not read the value.
///
/// `a.abbreviation < b.abbreviation` implies that `compare(a, b)` is negative. If `isExact`, equal abbreviations mean
/// equal values. The idea is that of normalised key prefixes in database sorting (Goetz Graefe, "Implementing Sorting
/// in Database Systems", 2006).
///
/// The lowest two abbreviations are reserved for nil (0) and NaN (1) where a type needs them.
protocol AbbreviatedKey: Comparable, Hashable {
  static var isExact: Bool { get }
  var abbreviation: UInt64 { get }
  /// Negative, zero or positive: the order of these values, which need not be the order of their `<`.
  static func compare(_ lhs: Self, _ rhs: Self) -> Int
  /// Writes the abbreviations of values in memory.
  static func abbreviate(_ values: StridedValues, into words: UnsafeMutablePointer<UInt64>)
  /// Writes the abbreviations of optional values: 0 for nil, else as `ValueOrder.optional` makes them.
  static func abbreviate(optionals: StridedValues, into words: UnsafeMutablePointer<UInt64>)
  /// Writes the numbers of values in memory. Each distinct key has a number; new keys are added.
  static func number(
    _ values: IndirectValues, in keys: inout KeyDictionary<Self>, into numbers: UnsafeMutablePointer<UInt32>)
  /// Writes the numbers of optional values.
  static func number(
    optionals: IndirectValues, in keys: inout KeyDictionary<Self?>, into numbers: UnsafeMutablePointer<UInt32>
  )
}

// Requirements, so that their loops are compiled for each type.
extension AbbreviatedKey {
  static func abbreviate(_ values: StridedValues, into words: UnsafeMutablePointer<UInt64>) {
    var words = words
    values.forEach { address in
      // The caller has values of this type there.
      words.pointee = address.object(as: Self.self).pointee.abbreviation
      words += 1
    }
  }

  static func abbreviate(optionals: StridedValues, into words: UnsafeMutablePointer<UInt64>) {
    var words = words
    optionals.forEach { address in
      // The same for optional values.
      let value = address.object(as: Self?.self).pointee
      words.pointee = value.map { optionalAbbreviation($0.abbreviation) } ?? 0
      words += 1
    }
  }
}

/// The abbreviation of a value that may be nil. Nil has 0: the lowest bit is lost to make room for it.
@inline(__always)
func optionalAbbreviation(_ word: UInt64) -> UInt64 { word >> 1 | 1 << 63 }

extension AbbreviatedKey {
  static func compare(_ lhs: Self, _ rhs: Self) -> Int { totalOrder(lhs, rhs) }
}

extension AbbreviatedKey where Self: FixedWidthInteger {
  static var isExact: Bool { true }
  var abbreviation: UInt64 {
    Self.isSigned
      ? UInt64(bitPattern: Int64(truncatingIfNeeded: self)) ^ (1 << 63)
      : UInt64(truncatingIfNeeded: self)
  }
}

extension Double: AbbreviatedKey {
  static var isExact: Bool { true }
  /// The usual flip of IEEE bits; -0 is 0, and every NaN comes first.
  var abbreviation: UInt64 {
    if isNaN { return 1 }
    let bits = (self == 0 ? 0.0 : self).bitPattern
    return bits >> 63 == 1 ? ~bits : bits | (1 << 63)
  }
}

extension Float: AbbreviatedKey {
  static var isExact: Bool { true }
  var abbreviation: UInt64 { Double(self).abbreviation }
}

extension Date: AbbreviatedKey {
  static var isExact: Bool { true }
  var abbreviation: UInt64 { timeIntervalSinceReferenceDate.abbreviation }
}

extension AbbreviatedKey where Self: OrderedText {
  static var isExact: Bool { false }
  /// The first eight bytes of the canonically composed UTF-8.
  var abbreviation: UInt64 { text.textAbbreviation }
  static func compare(_ lhs: Self, _ rhs: Self) -> Int { String.textOrder(lhs.text, rhs.text) }
}

extension UUID {
  /// The first eight bytes, which is the order in which UUIDs compare.
  var abbreviation: UInt64 {
    let u = uuid
    let bytes = [u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7]
    return bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
