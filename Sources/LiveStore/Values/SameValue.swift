import Foundation

// The `==` of its properties decides whether an object has changed, except that NaN equals itself, at any depth.
// Otherwise every upsert would modify an object that contains a NaN.
//
// So where `==` reports a difference, the parts of the two values are compared: elements, values of optionals, stored
// properties, payloads of enumerations. If only a NaN on both sides differs, the values are the same.

/// Equality under which NaN equals NaN, at any depth.
@inlinable
package func isSameValue<V: Equatable>(_ lhs: V, _ rhs: V) -> Bool { lhs == rhs || isSameButForNaN(lhs, rhs) }

/// Whether two values that are not equal differ only by a NaN on both sides.
///
/// - Complexity: O(1) for types of the standard library that hold no numbers with a NaN, else O(size).
@usableFromInline
func isSameButForNaN<V: Equatable>(_ lhs: V, _ rhs: V) -> Bool {
  if isWithoutNaN(V.self) { return false }
  // A value with a NaN among its bytes does not equal itself.
  if _isPOD(V.self), lhs == lhs || rhs == rhs { return false }
  var walk = NaNWalk(entersEqualParts: false)
  if walk.isSame(lhs, rhs) && walk.hasFound { return true }
  guard _isPOD(V.self) else { return false }
  return withUnsafeBytes(of: lhs) { left in
    withUnsafeBytes(of: rhs) { right in left.elementsEqual(right) }
  }
}

/// Whether a value contains a NaN.
func holdsNaN<V>(_ value: V) -> Bool {
  var walk = NaNWalk(entersEqualParts: true)
  return walk.isSame(value, value) && walk.hasFound
}

/// Whether two values of any type are the same, as far as that can be known. A type without `==` is compared part by
/// part, and a value without parts, such as a closure, counts as different.
func isSamePart<T>(_ lhs: T, _ rhs: T) -> Bool {
  var walk = NaNWalk(entersEqualParts: false)
  return walk.isSameMember(lhs, rhs)
}

/// Compares two values part by part.
struct NaNWalk {
  /// Whether it searches parts that are equal for a NaN, too.
  let entersEqualParts: Bool
  /// Whether a NaN was compared with a NaN.
  private(set) var hasFound = false

  init(entersEqualParts: Bool) { self.entersEqualParts = entersEqualParts }

  /// Whether two values are the same, NaN being the same as NaN.
  mutating func isSame<T>(_ lhs: T, _ rhs: T) -> Bool {
    let isEqual = (T.self as? any Equatable.Type).map { Self.areEqual($0, lhs, rhs) }
    if isWithoutNaN(T.self) { return isEqual ?? false }
    if isEqual == true, !entersEqualParts { return true }
    if let type = T.self as? any ValueWithParts.Type { return isSame(type, lhs, rhs) }
    if let type = T.self as? any FloatingPoint.Type { return isSameNumber(type, lhs, rhs) }
    if T.self is AnyObject.Type { return isEqual ?? ((lhs as AnyObject) === (rhs as AnyObject)) }
    if !(lhs is any CustomReflectable), let same = areMembersSame(lhs, rhs) { return same }
    return isEqual ?? false
  }

  /// Whether two arrays have the same elements.
  mutating func isSame<C: RandomAccessCollection>(elements lhs: C, _ rhs: C) -> Bool {
    func compare<E: Equatable>(_: E.Type, _ walk: inout NaNWalk) -> Bool {
      zip(lhs, rhs).allSatisfy { left, right in
        // E is the type of the elements: the caller found it by casting the metatype.
        let isEqual = unsafeBitCast(left, to: E.self) == unsafeBitCast(right, to: E.self)
        return isEqual && !walk.entersEqualParts || walk.isSame(left, right)
      }
    }
    guard lhs.count == rhs.count else { return false }
    if let type = C.Element.self as? any Equatable.Type {
      return isWithoutNaN(C.Element.self) && entersEqualParts || compare(type, &self)
    }
    return zip(lhs, rhs).allSatisfy { isSame($0, $1) }
  }

  /// Whether two unordered collections of equal count have the same elements.
  mutating func isSame<T>(unordered lhs: [T], _ rhs: [T]) -> Bool {
    var rest = rhs
    for value in lhs {
      guard let index = rest.firstIndex(where: { isSame(value, $0) }) else { return false }
      rest.swapAt(index, rest.count - 1)
      rest.removeLast()
    }
    return rest.isEmpty
  }

  private mutating func isSame<T, V: ValueWithParts>(_: V.Type, _ lhs: T, _ rhs: T) -> Bool {
    // V is T: the caller found it by casting the metatype.
    unsafeBitCast(lhs, to: V.self).isSame(as: unsafeBitCast(rhs, to: V.self), &self)
  }

  private static func areEqual<T, E: Equatable>(_: E.Type, _ lhs: T, _ rhs: T) -> Bool {
    unsafeBitCast(lhs, to: E.self) == unsafeBitCast(rhs, to: E.self)  // E is T, as above.
  }

  private mutating func isSameNumber<T, F: FloatingPoint>(_: F.Type, _ lhs: T, _ rhs: T) -> Bool {
    let (left, right) = (unsafeBitCast(lhs, to: F.self), unsafeBitCast(rhs, to: F.self))  // F is T, as above.
    if left.isNaN, right.isNaN { hasFound = true }
    return left == right || left.isNaN && right.isNaN
  }

  /// Whether the stored properties of two structs, or the payloads of one case, are the same; nil for values without
  /// parts.
  private mutating func areMembersSame<T>(_ lhs: T, _ rhs: T) -> Bool? {
    let (left, right) = (Mirror(reflecting: lhs), Mirror(reflecting: rhs))
    switch left.displayStyle {
    case .struct, .enum, .tuple: break
    default: return nil
    }
    if left.children.isEmpty, right.children.isEmpty { return nil }
    return left.children.count == right.children.count
      && zip(left.children, right.children).allSatisfy { one, other in
        one.label == other.label && isSameMember(one.value, other.value)
      }
  }

  fileprivate mutating func isSameMember(_ lhs: Any, _ rhs: Any) -> Bool {
    var walk = self
    defer { self = walk }
    func openLeft<L>(_ left: L) -> Bool {
      func openRight<R>(_ right: R) -> Bool {
        // Values of one type, in two existentials.
        L.self == R.self && walk.isSame(left, unsafeBitCast(right, to: L.self))
      }
      return _openExistential(rhs, do: openRight)
    }
    return _openExistential(lhs, do: openLeft)
  }
}

/// A type of the standard library whose values contain others.
protocol ValueWithParts {
  func isSame(as other: Self, _ walk: inout NaNWalk) -> Bool
  /// Whether no value holds a NaN.
  static var isWithoutNaN: Bool { get }
}

extension Optional: ValueWithParts {
  func isSame(as other: Wrapped?, _ walk: inout NaNWalk) -> Bool {
    switch (self, other) {
    case (nil, nil): true
    case (let left?, let right?): walk.isSame(left, right)
    default: false
    }
  }
  static var isWithoutNaN: Bool { LiveStore.isWithoutNaN(Wrapped.self) }
}

extension Array: ValueWithParts {
  func isSame(as other: [Element], _ walk: inout NaNWalk) -> Bool { walk.isSame(elements: self, other) }
  static var isWithoutNaN: Bool { LiveStore.isWithoutNaN(Element.self) }
}

extension ArraySlice: ValueWithParts {
  func isSame(as other: ArraySlice, _ walk: inout NaNWalk) -> Bool { walk.isSame(elements: self, other) }
  static var isWithoutNaN: Bool { LiveStore.isWithoutNaN(Element.self) }
}

extension ContiguousArray: ValueWithParts {
  func isSame(as other: ContiguousArray, _ walk: inout NaNWalk) -> Bool { walk.isSame(elements: self, other) }
  static var isWithoutNaN: Bool { LiveStore.isWithoutNaN(Element.self) }
}

extension Set: ValueWithParts {
  func isSame(as other: Set, _ walk: inout NaNWalk) -> Bool {
    // Most elements are found by their hash.
    if walk.entersEqualParts { return walk.isSame(elements: Array(self), Array(self)) }
    return count == other.count
      && walk.isSame(unordered: filter { !other.contains($0) }, other.filter { !contains($0) })
  }
  static var isWithoutNaN: Bool { LiveStore.isWithoutNaN(Element.self) }
}

extension Dictionary: ValueWithParts {
  func isSame(as other: [Key: Value], _ walk: inout NaNWalk) -> Bool {
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
    return walk.isSame(unordered: unmatched, other.filter { self[$0.key] == nil })
  }
  static var isWithoutNaN: Bool { LiveStore.isWithoutNaN(Key.self) && LiveStore.isWithoutNaN(Value.self) }
}

extension Date: ValueWithParts {
  func isSame(as other: Date, _ walk: inout NaNWalk) -> Bool {
    walk.isSame(timeIntervalSinceReferenceDate, other.timeIntervalSinceReferenceDate)
  }
  static var isWithoutNaN: Bool { false }
}

/// A type whose values hold no NaN.
protocol WithoutNaN {}
extension String: WithoutNaN {}
extension Substring: WithoutNaN {}
extension Character: WithoutNaN {}
extension Bool: WithoutNaN {}
extension UUID: WithoutNaN {}
extension Data: WithoutNaN {}
extension URL: WithoutNaN {}

/// Whether it is known that no value of a type holds a NaN.
func isWithoutNaN<T>(_: T.Type) -> Bool {
  if T.self == String.self || T.self == Int.self { return true }
  if T.self is any WithoutNaN.Type || T.self is any BinaryInteger.Type { return true }
  return (T.self as? any ValueWithParts.Type)?.isWithoutNaN ?? false
}
