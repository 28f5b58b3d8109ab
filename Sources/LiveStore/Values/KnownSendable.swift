import Foundation

/// A type whose values are known to be `Sendable`: a cast finds conformances to this protocol, but none to `Sendable`.
protocol KnownSendable: Equatable, Sendable {}

extension Bool: KnownSendable {}
extension Int: KnownSendable {}
extension Int64: KnownSendable {}
extension Int32: KnownSendable {}
extension Int16: KnownSendable {}
extension Int8: KnownSendable {}
extension UInt: KnownSendable {}
extension UInt64: KnownSendable {}
extension UInt32: KnownSendable {}
extension UInt16: KnownSendable {}
extension UInt8: KnownSendable {}
extension Double: KnownSendable {}
extension Float: KnownSendable {}
extension Decimal: KnownSendable {}
extension String: KnownSendable {}
extension Character: KnownSendable {}
extension Date: KnownSendable {}
extension Data: KnownSendable {}
extension UUID: KnownSendable {}
extension URL: KnownSendable {}

extension Optional: KnownSendable where Wrapped: KnownSendable {}
extension Array: KnownSendable where Element: KnownSendable {}
extension Set: KnownSendable where Element: KnownSendable {}
extension Dictionary: KnownSendable where Value: KnownSendable, Key: KnownSendable {}
