// The `==` of its properties decides whether an object has changed, except that NaN equals itself, at any depth.
// Otherwise every upsert would modify an object that contains a NaN.
//
// So where `==` reports a difference, the parts of the two values are compared: elements, values of optionals, stored
// properties, payloads of enumerations. If only a NaN on both sides differs, the values are the same.

/// Equality under which NaN equals NaN, at any depth.
///
/// - Complexity: that of `==`; O(length) for text, whatever marks its letters have.
@inlinable
package func isSameValue<V: Equatable>(_ lhs: V, _ rhs: V) -> Bool {
  // The casts are to the very type just tested for.
  if V.self == String.self {
    return isSameText(unsafeBitCast(lhs, to: String.self), unsafeBitCast(rhs, to: String.self))
  }
  if V.self == String?.self {
    let (lhs, rhs) = (unsafeBitCast(lhs, to: String?.self), unsafeBitCast(rhs, to: String?.self))
    guard let lhs, let rhs else { return lhs == nil && rhs == nil }
    return isSameText(lhs, rhs)
  }
  if V.self == [String].self {
    let (lhs, rhs) = (unsafeBitCast(lhs, to: [String].self), unsafeBitCast(rhs, to: [String].self))
    guard lhs.count == rhs.count else { return false }
    // Arrays that share their elements are the same; the addresses are compared only.
    let isShared = lhs.withUnsafeBufferPointer { left in
      rhs.withUnsafeBufferPointer { left.baseAddress == $0.baseAddress }
    }
    return isShared || lhs.elementsEqual(rhs, by: isSameText)
  }
  return lhs == rhs || isSameButForNaN(lhs, rhs)
}

/// Whether two texts are equal. `==` takes quadratic time for letters with many marks, so only short texts are compared
/// by it.
@inlinable
package func isSameText(_ lhs: String, _ rhs: String) -> Bool {
  if lhs.utf8.count < 256, rhs.utf8.count < 256 { return lhs == rhs }
  return isSameLongText(lhs, rhs)
}

@usableFromInline
func isSameLongText(_ lhs: String, _ rhs: String) -> Bool { String.textOrder(lhs, rhs) == 0 }

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
