public import Foundation

/// A value that can be a parameter of a statement.
///
/// Types of your own conform by saying what the server reads. An enumeration with raw values needs nothing
/// else.
///
/// ```swift
/// extension Money: SQLValue {
///   var sqlParameter: SQLParameter { .text("\(amount)") }
/// }
/// ```
public protocol SQLValue {
  /// The value as the server reads it.
  var sqlParameter: SQLParameter { get }
}

extension SQLValue where Self: RawRepresentable, RawValue: SQLValue {
  /// The raw value.
  public var sqlParameter: SQLParameter { rawValue.sqlParameter }
}

extension SQLValue where Self: FixedWidthInteger {
  /// The number's digits.
  public var sqlParameter: SQLParameter { .text("\(self)") }
}

extension Int: SQLValue {}
extension Int8: SQLValue {}
extension Int16: SQLValue {}
extension Int32: SQLValue {}
extension Int64: SQLValue {}
extension UInt: SQLValue {}
extension UInt8: SQLValue {}
extension UInt16: SQLValue {}
extension UInt32: SQLValue {}
extension UInt64: SQLValue {}

extension Double: SQLValue {
  /// The shortest digits that are read as this number.
  public var sqlParameter: SQLParameter { .text("\(self)") }
}

extension Float: SQLValue {
  /// The shortest digits that are read as this number.
  public var sqlParameter: SQLParameter { .text("\(self)") }
}

extension Decimal: SQLValue {
  /// The number's digits.
  public var sqlParameter: SQLParameter { .text(isNaN ? "NaN" : description) }
}

extension Bool: SQLValue {
  /// `true` or `false`.
  public var sqlParameter: SQLParameter { .text(self ? "true" : "false") }
}

extension String: SQLValue {
  /// The text.
  public var sqlParameter: SQLParameter { .text(self) }
}

extension Substring: SQLValue {
  /// The text.
  public var sqlParameter: SQLParameter { .text(String(self)) }
}

extension UUID: SQLValue {
  /// The identifier's hexadecimal digits.
  public var sqlParameter: SQLParameter { .text(uuidString.lowercased()) }
}

extension URL: SQLValue {
  /// The address.
  public var sqlParameter: SQLParameter { .text(absoluteString) }
}

extension Data: SQLValue {
  /// The bytes, for a column of type `bytea`.
  public var sqlParameter: SQLParameter {
    let digits = Array("0123456789abcdef".utf8)
    var text = Array("\\x".utf8)
    text.reserveCapacity(2 + 2 * count)
    for byte in self {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return .text(String(decoding: text, as: UTF8.self))
  }
}

extension LogSequenceNumber: SQLValue {
  /// The position as the server writes it.
  public var sqlParameter: SQLParameter { .text(description) }
}

extension SQLParameter: SQLValue {
  /// The parameter itself.
  public var sqlParameter: SQLParameter { self }
}

extension Optional: SQLValue where Wrapped: SQLValue {
  /// The value, or NULL for nil.
  public var sqlParameter: SQLParameter { self?.sqlParameter ?? .null }
}

extension Array: SQLValue where Element: SQLValue {
  /// An array of the elements. For bytes of a `bytea`, use `Data`.
  public var sqlParameter: SQLParameter { .array(map(\.sqlParameter)) }
}
