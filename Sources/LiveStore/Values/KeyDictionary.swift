/// The different keys of rows, numbered from 0 in the order in which they come: a hash table without deletion.
///
/// ```
/// slots    32 bits of a key's hash, its number plus 1      0 where no key is
/// keys     by number, each as it was first written
/// hashes   by number
/// ```
/// A key is in the slot that the uppermost bits of its hash select, or in the first one behind that was free.
/// At least half of the slots are free, so a search ends.
struct KeyDictionary<Key> {
  private(set) var keys: ContiguousArray<Key> = []
  private(set) var hashes: ContiguousArray<UInt64> = []
  private var slots = ContiguousArray<UInt64>(repeating: 0, count: 16)
  /// By how much a hash is shifted to give its slot.
  private var shift: UInt64 = 60

  var count: Int { hashes.count }

  /// The number of a key, which is added if it is new.
  ///
  /// - Parameters:
  ///   - hash: the upper 48 bits decide.
  ///   - isSame: whether two keys of one hash are the same.
  /// - Complexity: O(1) expected, amortised; more where hashes collide.
  @inline(__always)
  mutating func number(of key: Key, hash: UInt64, isSame: (Key, Key) -> Bool) -> UInt32 {
    let tag = hash &<< 16 & 0xFFFF_FFFF_0000_0000
    var slot = Int(truncatingIfNeeded: hash &>> shift)
    while slots[slot] != 0 {
      if slots[slot] & 0xFFFF_FFFF_0000_0000 == tag {
        let number = UInt32(truncatingIfNeeded: slots[slot]) &- 1
        if isSame(keys[Int(number)], key) { return number }
      }
      slot = (slot &+ 1) & (slots.count &- 1)
    }
    let number = UInt32(hashes.count)
    slots[slot] = tag | UInt64(number) &+ 1
    keys.append(key)
    hashes.append(hash)
    if hashes.count &* 2 > slots.count { grow() }
    return number
  }

  /// Doubles the slots.
  private mutating func grow() {
    shift &-= 1
    slots = ContiguousArray(repeating: 0, count: slots.count * 2)
    let last = slots.count - 1
    for (number, hash) in hashes.enumerated() {
      var slot = Int(truncatingIfNeeded: hash &>> shift)
      while slots[slot] != 0 { slot = (slot &+ 1) & last }
      slots[slot] = hash &<< 16 & 0xFFFF_FFFF_0000_0000 | UInt64(number) &+ 1
    }
  }

  /// Writes the numbers of keys in memory.
  @inline(__always)
  mutating func number(
    _ values: IndirectValues, into numbers: UnsafeMutablePointer<UInt32>,
    hash: (Key) -> UInt64, isSame: (Key, Key) -> Bool
  ) {
    for index in 0..<values.count {
      // The caller has keys of this type there.
      let key = values[index].object(as: Key.self)
      numbers[index] = number(of: key.pointee, hash: hash(key.pointee), isSame: isSame)
    }
  }
}

// Requirements, so that the loops are compiled for each type.
extension AbbreviatedKey {
  static func number(
    _ values: IndirectValues, in keys: inout KeyDictionary<Self>, into numbers: UnsafeMutablePointer<UInt32>
  ) {
    keys.number(values, into: numbers, hash: { keyHash($0) }, isSame: { isSameValue($0, $1) })
  }

  static func number(
    optionals: IndirectValues, in keys: inout KeyDictionary<Self?>, into numbers: UnsafeMutablePointer<UInt32>
  ) {
    keys.number(optionals, into: numbers, hash: { keyHash($0) }, isSame: { isSameValue($0, $1) })
  }
}

/// The hash of a key. Values that do not equal themselves have one hash in common.
func keyHash<H: Hashable>(_ value: H) -> UInt64 { value == value ? idHash(value) : 0x6e61_6e00_0000 }
