import Foundation

// What the types of the standard library and Foundation can do, as far as it takes no code of its own.

/// A type whose values are known to be `Sendable`: a cast finds conformances to this protocol, but none to `Sendable`.
protocol KnownSendable: Equatable, Sendable {}

extension Int: AbbreviatedKey, KnownSendable, Summable {}
extension Int64: AbbreviatedKey, KnownSendable, Summable {}
extension Int32: AbbreviatedKey, KnownSendable, Summable {}
extension Int16: AbbreviatedKey, KnownSendable, Summable {}
extension Int8: AbbreviatedKey, KnownSendable, Summable {}
extension UInt: AbbreviatedKey, KnownSendable, Summable {}
extension UInt64: AbbreviatedKey, KnownSendable, Summable {}
extension UInt32: AbbreviatedKey, KnownSendable, Summable {}
extension UInt16: AbbreviatedKey, KnownSendable, Summable {}
extension UInt8: AbbreviatedKey, KnownSendable, Summable {}
extension Bool: KnownSendable, WithoutNaN {}
extension Double: KnownSendable {}
extension Float: KnownSendable {}
extension Decimal: KnownSendable {}
extension String: AbbreviatedKey, KnownSendable, WithoutNaN {}
extension Substring: AbbreviatedKey, WithoutNaN {}
extension Character: AbbreviatedKey, KnownSendable, WithoutNaN {}
extension Date: KnownSendable {}
extension Data: KnownSendable, WithoutNaN {}
extension UUID: KnownSendable, WithoutNaN {}
extension URL: KnownSendable, WithoutNaN {}

extension Optional: KnownSendable where Wrapped: KnownSendable {}
extension Array: KnownSendable where Element: KnownSendable {}
extension Set: KnownSendable where Element: KnownSendable {}
extension Dictionary: KnownSendable where Value: KnownSendable, Key: KnownSendable {}
