/// Writes the numbers of keys in memory, in a loop of the type's own where it has one.
///
/// Proof of sendability: as for `KeyRule`.
struct KeyNumbering<Key>: @unchecked Sendable {
  let number: (IndirectValues, inout KeyDictionary<Key>, UnsafeMutablePointer<UInt32>) -> Void

  init(_ rule: KeyRule<Key>) {
    if let key = Key.self as? any AbbreviatedKey.Type {
      number = Self.numbering(key)
    } else if let key = Key.self as? any OptionalValue.Type, let wrapped = Self.numbering(wrappedBy: key) {
      number = wrapped
    } else {
      number = { $1.number($0, into: $2, hash: rule.hash, isSame: rule.isSame) }
    }
  }

  private static func numbering<K: AbbreviatedKey>(
    _: K.Type
  ) -> (IndirectValues, inout KeyDictionary<Key>, UnsafeMutablePointer<UInt32>) -> Void {
    { values, keys, numbers in
      // K is Key itself: it was found by casting the metatype.
      withMutableObject(&keys) {
        K.number(values, in: &$0.object(as: KeyDictionary<K>.self).pointee, into: numbers)
      }
    }
  }

  private static func numbering<O: OptionalValue>(
    wrappedBy _: O.Type
  ) -> ((IndirectValues, inout KeyDictionary<Key>, UnsafeMutablePointer<UInt32>) -> Void)? {
    guard let wrapped = O.Wrapped.self as? any AbbreviatedKey.Type else { return nil }
    func make<K: AbbreviatedKey>(
      _: K.Type
    ) -> (IndirectValues, inout KeyDictionary<Key>, UnsafeMutablePointer<UInt32>) -> Void {
      { values, keys, numbers in
        // K? is Key itself, as above.
        withMutableObject(&keys) {
          K.number(optionals: values, in: &$0.object(as: KeyDictionary<K?>.self).pointee, into: numbers)
        }
      }
    }
    return make(wrapped)
  }
}
