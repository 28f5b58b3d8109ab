import Foundation

extension JSONText {
  /// Whether two texts are of equal values, as ``JSONValue`` has it.
  ///
  /// Equal bytes are of equal values. Otherwise the members of two objects are compared one by one, as long as both have
  /// the same keys in the same order: no key occurs twice, so a member that differs decides (N3). Where the order
  /// differs, the values are made.
  /// - Complexity: O(length) for each level, plus that of comparing members whose bytes differ.
  package static func areEqual(_ left: JSONText, _ right: JSONText) -> Bool {
    // Once for all levels: a member whose order differs may be deep in others.
    membersAreEqual(left, right) ?? (left.value == right.value)
  }

  /// The answer, or nil where it depends on members in another order.
  private static func membersAreEqual(_ left: JSONText, _ right: JSONText) -> Bool? {
    if areSame(left.bytes, right.bytes) { return true }
    guard left.bytes[0] == UInt8(ascii: "{"), right.bytes[0] == UInt8(ascii: "{") else {
      return left.value == right.value
    }
    var (a, b) = (1, 1)
    while let key = left.key(at: a), let other = right.key(at: b), areSame(key, other) {
      a += key.count + 3
      b += key.count + 3
      let (endA, endB) = (left.end(ofValueAt: a), right.end(ofValueAt: b))
      let one = JSONText(UnsafeRawBufferPointer(rebasing: left.bytes[a..<endA]))
      let two = JSONText(UnsafeRawBufferPointer(rebasing: right.bytes[b..<endB]))
      guard let isEqual = membersAreEqual(one, two) else { return nil }
      if !isEqual { return false }
      (a, b) = (endA, endB)
      let isLast = left.bytes[a] == UInt8(ascii: "}")
      if isLast || right.bytes[b] == UInt8(ascii: "}") {
        return left.bytes[a] == right.bytes[b]
      }
      a += 1
      b += 1
    }
    return nil
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
