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
    return isSameTexts(unsafeBitCast(lhs, to: [String].self), unsafeBitCast(rhs, to: [String].self))
  }
  if V.self == Set<String>.self {
    return isSameTexts(unsafeBitCast(lhs, to: Set<String>.self), unsafeBitCast(rhs, to: Set<String>.self))
  }
  if V.self == [String: String].self {
    return isSameTexts(
      unsafeBitCast(lhs, to: [String: String].self), unsafeBitCast(rhs, to: [String: String].self))
  }
  if V.self == [String]?.self {
    let (lhs, rhs) = (unsafeBitCast(lhs, to: [String]?.self), unsafeBitCast(rhs, to: [String]?.self))
    guard let lhs, let rhs else { return lhs == nil && rhs == nil }
    return isSameTexts(lhs, rhs)
  }
  return lhs == rhs || isSameButForNaN(lhs, rhs)
}

/// `==`, in linear time for texts whatever marks their letters have.
@inlinable
@inline(__always)
package func isEqualValue<V: Equatable>(_ lhs: V, _ rhs: V) -> Bool {
  // The two functions differ only for NaN, which no text holds. Texts are compared inline: a call costs as
  // much as the comparison.
  if V.self == String.self {
    return isSameText(unsafeBitCast(lhs, to: String.self), unsafeBitCast(rhs, to: String.self))
  }
  return V.self == String?.self || V.self == [String].self ? isSameValue(lhs, rhs) : lhs == rhs
}

/// Whether two texts are equal. `==` takes quadratic time for letters with many marks, so only short texts are compared
/// by it.
@inlinable
@inline(__always)
package func isSameText(_ lhs: String, _ rhs: String) -> Bool {
  if !lhs.isLong, !rhs.isLong { return lhs == rhs }
  return isSameLongText(lhs, rhs)
}

@usableFromInline
func isSameLongText(_ lhs: String, _ rhs: String) -> Bool { String.textOrder(lhs, rhs) == 0 }

@usableFromInline
func isSameTexts(_ lhs: [String], _ rhs: [String]) -> Bool {
  isShared(lhs, rhs) || lhs.count == rhs.count && lhs.elementsEqual(rhs, by: isSameText)
}

@usableFromInline
func isSameTexts(_ lhs: Set<String>, _ rhs: Set<String>) -> Bool {
  if isShared(lhs, rhs) { return true }
  guard lhs.contains(where: \.isLong) || rhs.contains(where: \.isLong) else { return lhs == rhs }
  return Set(lhs.lazy.map(ComparedText.init)) == Set(rhs.lazy.map(ComparedText.init))
}

@usableFromInline
func isSameTexts(_ lhs: [String: String], _ rhs: [String: String]) -> Bool {
  if isShared(lhs, rhs) { return true }
  func holdsLong(_ texts: [String: String]) -> Bool { texts.contains { $0.key.isLong || $0.value.isLong } }
  guard holdsLong(lhs) || holdsLong(rhs) else { return lhs == rhs }
  func compared(_ texts: [String: String]) -> [ComparedText: ComparedText] {
    Dictionary(texts.lazy.map { (ComparedText($0), ComparedText($1)) }) { _, last in last }
  }
  return compared(lhs) == compared(rhs)
}

/// Whether two collections share their storage. Each is one address, and only the addresses are compared.
private func isShared<Texts>(_ lhs: Texts, _ rhs: Texts) -> Bool {
  unsafeBitCast(lhs, to: Int.self) == unsafeBitCast(rhs, to: Int.self)
}

/// Whether two values that are not equal differ only by a NaN on both sides.
///
/// - Complexity: O(1) for types of the standard library that hold no numbers with a NaN, else O(size).
@usableFromInline
func isSameButForNaN<V: Equatable>(_ lhs: V, _ rhs: V) -> Bool {
  if isWithoutNaN(V.self) { return false }
  // A value with a NaN among its bytes does not equal itself.
  if _isPOD(V.self), lhs == lhs || rhs == rhs { return false }
  var walk = StructuralComparison(entersEqualParts: false)
  if walk.isSame(lhs, rhs) && walk.hasFound { return true }
  guard _isPOD(V.self) else { return false }
  return withUnsafeBytes(of: lhs) { left in
    withUnsafeBytes(of: rhs) { right in left.elementsEqual(right) }
  }
}

/// Whether a value contains a NaN.
func holdsNaN<V>(_ value: V) -> Bool {
  var walk = StructuralComparison(entersEqualParts: true)
  return walk.isSame(value, value) && walk.hasFound
}

/// Whether two values of any type are the same, as far as that can be known. A type without `==` is compared part by
/// part, and a value without parts, such as a closure, counts as different.
func isSamePart<T>(_ lhs: T, _ rhs: T) -> Bool {
  var walk = StructuralComparison(entersEqualParts: false)
  return walk.isSameMember(lhs, rhs)
}
