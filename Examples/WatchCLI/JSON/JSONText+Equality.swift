import Foundation
import LiveStore

extension JSONText {
  /// Whether two texts are of equal values, as ``JSONValue`` has it.
  ///
  /// Equal bytes are of equal values. Otherwise the members of two objects are compared one by one, as long as both have
  /// the same keys in the same order: no key occurs twice, so a member that differs decides (N3). Where the order
  /// differs, the values are made.
  /// - Complexity: O(length).
  package static func areEqual(_ left: JSONText, _ right: JSONText) -> Bool {
    if areSame(left.bytes, right.bytes) { return true }
    var (a, b) = (0, 0)
    // Once for all levels: a member whose order differs may be deep in others.
    return valuesAreEqual(left, &a, right, &b) ?? (left.value == right.value)
  }

  /// Whether the values at two places are equal, or nil where that depends on members in another order. Values that are
  /// equal are passed: where an object ends is known when its members were compared, and not looked for at each level.
  private static func valuesAreEqual(
    _ left: JSONText, _ a: inout Int, _ right: JSONText, _ b: inout Int
  ) -> Bool? {
    guard left.bytes[a] == UInt8(ascii: "{"), right.bytes[b] == UInt8(ascii: "{") else {
      let (endA, endB) = (left.end(ofValueAt: a), right.end(ofValueAt: b))
      let one = JSONText(UnsafeRawBufferPointer(rebasing: left.bytes[a..<endA]))
      let two = JSONText(UnsafeRawBufferPointer(rebasing: right.bytes[b..<endB]))
      (a, b) = (endA, endB)
      return areSame(one.bytes, two.bytes) || one.value == two.value
    }
    (a, b) = (a + 1, b + 1)
    while left.bytes[a] != UInt8(ascii: "}"), right.bytes[b] != UInt8(ascii: "}") {
      guard let key = left.key(at: a), let other = right.key(at: b), areSame(key, other) else { return nil }
      a += key.count + 3
      b += key.count + 3
      guard let isEqual = valuesAreEqual(left, &a, right, &b) else { return nil }
      if !isEqual { return false }
      // After a comma comes the next key; otherwise the object ends.
      if left.bytes[a] == UInt8(ascii: ","), right.bytes[b] == UInt8(ascii: ",") { (a, b) = (a + 1, b + 1) }
    }
    defer { (a, b) = (a + 1, b + 1) }
    return left.bytes[a] == right.bytes[b]
  }

  private static func areSame(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    let count = left.count
    guard count == right.count else { return false }
    guard let left = left.baseAddress, let right = right.baseAddress else { return true }
    return memcmp(left, right, count) == 0
  }

  /// The bytes of the key that begins at a place; nil at the end of an object.
  private func key(at place: Int) -> UnsafeRawBufferPointer? {
    guard bytes[place] == UInt8(ascii: "\"") else { return nil }
    let key = JSONTextKey(UnsafeRawBufferPointer(rebasing: bytes[(place + 1)...]))
    return UnsafeRawBufferPointer(rebasing: bytes[place + 1..<place + 1 + key.count])
  }
}
