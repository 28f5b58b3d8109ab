extension JSONValue {
  /// The value of a member, or null if this is not an object or has no such key.
  public subscript(key: String) -> JSONValue {
    if case .object(let object) = self { object[key] ?? .null } else { .null }
  }

  /// The value at the end of a path: each step is a key of an object, or a decimal index of an array.
  ///
  /// A missing value is null, at any step. An index is written without sign and leading zeros.
  ///
  /// ```swift
  /// order[path: ["lines", "0", "price"]]
  /// ```
  /// - Complexity: O(steps), with O(log keys) for a step into a large object.
  public subscript(path path: [String]) -> JSONValue {
    value(at: path) ?? .null
  }

  /// The value at the end of a path, or nil if something is missing on the way.
  package func value(at path: [String]) -> JSONValue? {
    var value = self
    for step in path {
      switch value {
      case .object(let object):
        guard let member = object[step] else { return nil }
        value = member
      case .array(let elements):
        guard let index = Self.arrayIndex(step), index < elements.count else { return nil }
        value = elements[index]
      default:
        return nil
      }
    }
    return value
  }

  /// The index that a step stands for, if it is a decimal without sign and leading zeros.
  package static func arrayIndex(_ step: String) -> Int? {
    let digits = step.utf8
    guard let first = digits.first, digits.count <= 18 else { return nil }
    guard first != UInt8(ascii: "0") || digits.count == 1 else { return nil }
    var index = 0
    for digit in digits {
      guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
      index = index * 10 + Int(digit &- UInt8(ascii: "0"))
    }
    return index
  }
}
