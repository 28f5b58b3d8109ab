import Foundation

/// A type of the standard library whose values contain others.
protocol ValueWithParts {
  func isSame(as other: Self, _ walk: inout StructuralComparison) -> Bool
  /// Whether a test holds for the types of all parts.
  static func allParts(_ test: (Any.Type) -> Bool) -> Bool
}

extension Optional: ValueWithParts {
  func isSame(as other: Wrapped?, _ walk: inout StructuralComparison) -> Bool {
    switch (self, other) {
    case (nil, nil): true
    case (let left?, let right?): walk.isSame(left, right)
    default: false
    }
  }
  static func allParts(_ test: (Any.Type) -> Bool) -> Bool { test(Wrapped.self) }
}

extension Array: ValueWithParts {
  func isSame(as other: [Element], _ walk: inout StructuralComparison) -> Bool {
    walk.isSame(elements: self, other)
  }
  static func allParts(_ test: (Any.Type) -> Bool) -> Bool { test(Element.self) }
}

extension ArraySlice: ValueWithParts {
  func isSame(as other: ArraySlice, _ walk: inout StructuralComparison) -> Bool {
    walk.isSame(elements: self, other)
  }
  static func allParts(_ test: (Any.Type) -> Bool) -> Bool { test(Element.self) }
}

extension ContiguousArray: ValueWithParts {
  func isSame(as other: ContiguousArray, _ walk: inout StructuralComparison) -> Bool {
    walk.isSame(elements: self, other)
  }
  static func allParts(_ test: (Any.Type) -> Bool) -> Bool { test(Element.self) }
}

extension Set: ValueWithParts {
  func isSame(as other: Set, _ walk: inout StructuralComparison) -> Bool {
    // Most elements are found by their hash.
    if walk.entersEqualParts { return walk.isSame(elements: Array(self), Array(self)) }
    return count == other.count
      && walk.isSame(
        unordered: filter { !other.contains($0) }, other.filter { !contains($0) }, hash: \.hashValue)
  }
  static func allParts(_ test: (Any.Type) -> Bool) -> Bool { test(Element.self) }
}

extension Dictionary: ValueWithParts {
  func isSame(as other: [Key: Value], _ walk: inout StructuralComparison) -> Bool {
    if walk.entersEqualParts { return walk.isSame(elements: Array(self), Array(self)) }
    guard count == other.count else { return false }
    var unmatched: [Element] = []
    for (key, value) in self {
      guard let found = other[key] else {
        unmatched.append((key, value))
        continue
      }
      guard walk.isSame(value, found) else { return false }
    }
    return walk.isSame(unordered: unmatched, other.filter { self[$0.key] == nil }, hash: \.key.hashValue)
  }
  static func allParts(_ test: (Any.Type) -> Bool) -> Bool { test(Key.self) && test(Value.self) }
}

extension Date: ValueWithParts {
  func isSame(as other: Date, _ walk: inout StructuralComparison) -> Bool {
    walk.isSame(timeIntervalSinceReferenceDate, other.timeIntervalSinceReferenceDate)
  }
  static func allParts(_ test: (Any.Type) -> Bool) -> Bool { test(Double.self) }
}

/// A type whose values hold no NaN.
protocol WithoutNaN {}

/// Whether it is known that no value of a type holds a NaN.
func isWithoutNaN(_ type: Any.Type) -> Bool {
  if type == String.self || type == Int.self { return true }
  if type is any WithoutNaN.Type || type is any BinaryInteger.Type { return true }
  return (type as? any ValueWithParts.Type)?.allParts(isWithoutNaN) ?? false
}
