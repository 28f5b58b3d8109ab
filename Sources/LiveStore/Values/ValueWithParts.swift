import Foundation

/// A type of the standard library whose values contain others.
protocol ValueWithParts {
  func isSame(as other: Self, _ walk: inout StructuralComparison) -> Bool
  /// Whether no value holds a NaN.
  static var isWithoutNaN: Bool { get }
}

extension Optional: ValueWithParts {
  func isSame(as other: Wrapped?, _ walk: inout StructuralComparison) -> Bool {
    switch (self, other) {
    case (nil, nil): true
    case (let left?, let right?): walk.isSame(left, right)
    default: false
    }
  }
  static var isWithoutNaN: Bool { LiveStore.isWithoutNaN(Wrapped.self) }
}

extension Array: ValueWithParts {
  func isSame(as other: [Element], _ walk: inout StructuralComparison) -> Bool {
    walk.isSame(elements: self, other)
  }
  static var isWithoutNaN: Bool { LiveStore.isWithoutNaN(Element.self) }
}

extension ArraySlice: ValueWithParts {
  func isSame(as other: ArraySlice, _ walk: inout StructuralComparison) -> Bool {
    walk.isSame(elements: self, other)
  }
  static var isWithoutNaN: Bool { LiveStore.isWithoutNaN(Element.self) }
}

extension ContiguousArray: ValueWithParts {
  func isSame(as other: ContiguousArray, _ walk: inout StructuralComparison) -> Bool {
    walk.isSame(elements: self, other)
  }
  static var isWithoutNaN: Bool { LiveStore.isWithoutNaN(Element.self) }
}

extension Set: ValueWithParts {
  func isSame(as other: Set, _ walk: inout StructuralComparison) -> Bool {
    // Most elements are found by their hash.
    if walk.entersEqualParts { return walk.isSame(elements: Array(self), Array(self)) }
    return count == other.count
      && walk.isSame(
        unordered: filter { !other.contains($0) }, other.filter { !contains($0) }, hash: \.hashValue)
  }
  static var isWithoutNaN: Bool { LiveStore.isWithoutNaN(Element.self) }
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
  static var isWithoutNaN: Bool { LiveStore.isWithoutNaN(Key.self) && LiveStore.isWithoutNaN(Value.self) }
}

extension Date: ValueWithParts {
  func isSame(as other: Date, _ walk: inout StructuralComparison) -> Bool {
    walk.isSame(timeIntervalSinceReferenceDate, other.timeIntervalSinceReferenceDate)
  }
  static var isWithoutNaN: Bool { false }
}
