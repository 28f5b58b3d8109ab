/// Compares two values part by part.
struct StructuralComparison {
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
    func compare<E: Equatable>(_: E.Type, _ walk: inout StructuralComparison) -> Bool {
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

  /// How many elements that no hash finds are compared with each other.
  private static let maximumCompared = 64

  /// Whether two unordered collections of equal count have the same elements.
  ///
  /// Elements with NaN are not equal, and have the same hash if all bits of the NaN are the same. So they are
  /// compared with elements of the same hash, and the remaining ones, if they are few, with all.
  mutating func isSame<T>(unordered lhs: [T], _ rhs: [T], hash: (T) -> Int) -> Bool {
    var rest = Dictionary(grouping: rhs, by: hash)
    let left = lhs.filter { value in
      let hash = hash(value)
      guard let index = rest[hash]?.firstIndex(where: { isSame(value, $0) }) else { return true }
      rest[hash]?.remove(at: index)
      return false
    }
    var others = rest.values.flatMap(\.self)
    guard left.count == others.count, left.count <= Self.maximumCompared else { return false }
    for value in left {
      guard let index = others.firstIndex(where: { isSame(value, $0) }) else { return false }
      others.remove(at: index)
    }
    return true
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

  mutating func isSameMember(_ lhs: Any, _ rhs: Any) -> Bool {
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
