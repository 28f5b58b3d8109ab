/// A JSON number: the exact decimal that the text says, whatever its size.
///
/// `18446744073709551615` and `18446744073709551616` are different numbers, and so are `9007199254740993` and
/// `9007199254740992.0`, which would be one as doubles; `1`, `1.0` and `1e0` are one number. A double stands
/// for the shortest decimal that reads back as it: `JSONNumber(0.1)` is the `0.1` of a JSON text. (An integral
/// double below 2^63 stands for its exact value.)
///
/// Numbers whose nearest double would be infinite, or zero though they are not, are not values of this type; parsing
/// one is an error.
///
/// Every number has exactly one representation, so equality and hashing follow from the parts:
///
/// | storage | the numbers |
/// |---|---|
/// | `.integer` | the integers that fit in 64 bits |
/// | `.double` | other numbers that are the shortest decimal of a double, except -2^63, which is an integer |
/// | `.decimal` | the rest |
public struct JSONNumber: Hashable, Sendable {
  /// The one representation of a number, see ``JSONNumber``.
  package enum Storage: Hashable, Sendable {
    case integer(Int64)
    case double(Double)
    indirect case decimal(JSONDecimal)
  }

  /// The representation; only the initialisers make one.
  package let storage: Storage

  /// Makes a number from a representation, which must be the canonical one.
  package init(canonical storage: Storage) {
    self.storage = storage
  }

  /// A number from any integer, exact.
  ///
  /// - Precondition: the integer is within the range of a double, as are all integers of up to 1,024 bits.
  public init(_ integer: some BinaryInteger) {
    if let small = Int64(exactly: integer) {
      storage = .integer(small)
    } else {
      let number = JSONNumber(decimalText: String(integer))
      precondition(number != nil, "a JSONNumber must be within the range of a Double")
      storage = number?.storage ?? .integer(0)
    }
  }

  /// A number from a finite double; nil for NaN and the infinities, which JSON does not have.
  public init?(_ double: Double) {
    guard double.isFinite else { return nil }
    if let integer = Int64(exactly: double) {
      storage = .integer(integer)
    } else {
      storage = .double(double)
    }
  }

  /// The number as an integer, or nil if it is not one or does not fit.
  @inline(never)
  public var integer: Int64? {
    // When inlined into a client's optional chain, it crashes the optimiser of Swift 6.3.
    if case .integer(let value) = storage { value } else { nil }
  }

  /// The double nearest to the number; never infinite.
  public var double: Double {
    switch storage {
    case .integer(let value): Double(value)
    case .double(let value): value
    case .decimal(let value): value.nearestDouble
    }
  }
}

extension JSONNumber {
  /// The number with the opposite sign.
  public static prefix func - (number: JSONNumber) -> JSONNumber {
    switch number.storage {
    case .integer(let value) where value != .min: JSONNumber(-value)
    case .double(let value) where value != 0x1p63: JSONNumber(canonical: .double(-value))
    default: JSONNumber(number.decimal.negated) ?? number
    }
  }
}

extension JSONNumber: Comparable {
  /// True if the left number is smaller.
  public static func < (left: JSONNumber, right: JSONNumber) -> Bool {
    order(left, right) < 0
  }

  /// Negative, zero or positive, exactly.
  ///
  /// A double stands for a decimal within its rounding interval, and those intervals do not overlap, so two
  /// doubles order as their decimals do. A stored double that is compared with an integer either is beyond
  /// 64 bits, or has a fraction, is then below 2^53, and orders against any integer as its decimal does.
  package static func order(_ left: JSONNumber, _ right: JSONNumber) -> Int {
    switch (left.storage, right.storage) {
    case (.integer(let a), .integer(let b)): totalOrder(a, b)
    case (.double(let a), .double(let b)): totalOrder(a, b)
    case (.integer(let a), .double(let b)): isLess(a, b) ? -1 : 1
    case (.double(let a), .integer(let b)): isLess(b, a) ? 1 : -1
    default: JSONDecimal.order(left.decimal, right.decimal)
    }
  }

  /// True if the integer is smaller than a double that is not an integer of 64 bits.
  private static func isLess(_ integer: Int64, _ double: Double) -> Bool {
    if double >= 0x1p63 { return true }
    if double < -0x1p63 { return false }
    return integer <= Int64(double.rounded(.down))
  }
}

extension JSONNumber: CustomStringConvertible {
  /// The number as JSON text that reads back as the same number.
  public var description: String {
    switch storage {
    case .integer(let value): value.description
    case .double(let value): value.description
    case .decimal(let value): value.description
    }
  }

  /// The number as a decimal of any size.
  var decimal: JSONDecimal {
    switch storage {
    case .integer(let value): JSONDecimal(text: value.description) ?? .zero
    case .double(let value): JSONDecimal(text: value.description) ?? .zero
    case .decimal(let value): value
    }
  }
}
