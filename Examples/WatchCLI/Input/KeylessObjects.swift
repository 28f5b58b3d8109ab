package import LiveStore

/// Objects that were refused because they have no value at the key.
package struct KeylessObjects: Hashable, Sendable {
  /// How many there were.
  package var count = 0
  /// The first of them; null if there was none.
  package var example = JSONValue.null

  /// No objects.
  package init() {}

  /// Adds later objects.
  mutating func add(_ later: KeylessObjects) {
    if count == 0 { example = later.example }
    count += later.count
  }
}

extension JSONValue {
  /// What kind of value this is, for messages.
  var kindDescription: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
