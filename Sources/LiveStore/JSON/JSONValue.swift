/// A JSON value: the type of properties that are only known at run time.
///
/// Values compare as JSON, not as text: `1`, `1.0` and `10e-1` are one number, and two objects are equal
/// whatever the order of their keys. Numbers are exact, see ``JSONNumber``.
///
/// ```swift
/// let value: JSONValue = ["title": "Tea", "tags": ["hot", "green"], "price": 3.5]
/// value[path: ["tags", "1"]]      // "green"
/// value[path: ["address"]]        // null: what is missing is null
/// print(value)                    // {"title":"Tea","tags":["hot","green"],"price":3.5}
/// ```
///
/// The order is total: null, `false`, `true`, numbers, strings (by the scalars of their canonical composition), arrays
/// (element by element), objects (see ``JSONObject``).
public enum JSONValue: Sendable {
  /// JSON's `null`, also what a missing member reads as.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number, exact.
  case number(JSONNumber)
  /// A text.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object; the order of its keys only matters for printing.
  case object(JSONObject)
}

extension JSONValue: Hashable {
  /// Whether two values are one as JSON.
  ///
  /// - Complexity: linear in the length, whatever marks the letters of texts have.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.string(let left), .string(let right)): isSameText(left, right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  /// Hashes a value; equal ones alike.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .number(let value): hasher.combine(value)
    case .string(let value): hasher.combine(textHash(value))
    case .array(let value): hasher.combine(value)
    case .object(let value): hasher.combine(value)
    }
  }
}

extension JSONValue {
  /// A number from any integer, exact.
  public init(_ integer: some BinaryInteger) {
    self = .number(JSONNumber(integer))
  }

  /// A number from a double, or null where JSON has no such number (NaN and the infinities).
  public init(_ double: Double) {
    self = JSONNumber(double).map(JSONValue.number) ?? .null
  }

  /// True for null, which is also what a missing member reads as.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Null.
  public init(nilLiteral: ()) {
    self = .null
  }

  /// `true` or `false`.
  public init(booleanLiteral value: Bool) {
    self = .bool(value)
  }

  /// A number from an integer literal.
  public init(integerLiteral value: Int64) {
    self = .number(JSONNumber(value))
  }

  /// A number from a literal such as `0.1`, which means the decimal 0.1; null if the literal is infinite.
  public init(floatLiteral value: Double) {
    self.init(value)
  }

  /// A text.
  public init(stringLiteral value: String) {
    self = .string(value)
  }

  /// An array.
  public init(arrayLiteral elements: JSONValue...) {
    self = .array(elements)
  }

  /// An object; of equal keys the last value counts.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(elements.map { (key: $0.0, value: $0.1) }))
  }
}

extension JSONValue: KnownSendable {}
