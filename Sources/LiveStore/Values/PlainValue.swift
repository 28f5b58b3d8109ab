import Foundation

/// A type whose values are known to be `Sendable`: a cast finds conformances to this protocol, but none to `Sendable`.
protocol PlainValue: Equatable, Sendable {}

extension Bool: PlainValue {}
extension Int: PlainValue {}
extension Int64: PlainValue {}
extension Int32: PlainValue {}
extension Int16: PlainValue {}
extension Int8: PlainValue {}
extension UInt: PlainValue {}
extension UInt64: PlainValue {}
extension UInt32: PlainValue {}
extension UInt16: PlainValue {}
extension UInt8: PlainValue {}
extension Double: PlainValue {}
extension Float: PlainValue {}
extension Decimal: PlainValue {}
extension String: PlainValue {}
extension Character: PlainValue {}
extension Date: PlainValue {}
extension Data: PlainValue {}
extension UUID: PlainValue {}
extension URL: PlainValue {}

extension Optional: PlainValue where Wrapped: PlainValue {}
extension Array: PlainValue where Element: PlainValue {}
extension Set: PlainValue where Element: PlainValue {}
extension Dictionary: PlainValue where Value: PlainValue, Key: PlainValue {}
