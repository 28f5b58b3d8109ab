/// The hash of values of one type; seeded per process.
///
/// Proof of sendability: as for `ValueOrder`.
package struct ValueHash<Value>: @unchecked Sendable {
  private let function: (Value) -> UInt64

  /// Nil where `Value` is not `Hashable`.
  ///
  /// - Parameter hashesLists: whether lists, sets and maps of references have a hash, too, of the whole value.
  ///   Filters do not use it, since rows are listed by each of their links.
  package init?(_: Value.Type = Value.self, hashesLists: Bool = false) {
    func make<H: Hashable>(_: H.Type) -> (Value) -> UInt64 {
      // H is Value itself: it was found by casting the metatype.
      { idHash(unsafeBitCast($0, to: H.self)) }
    }
    if let type = Value.self as? any RelationValue.Type {
      if let hash: (Value) -> UInt64 = referenceHash(type) {
        function = hash
        return
      }
      guard hashesLists else { return nil }
    }
    guard let hashable = Value.self as? any Hashable.Type else { return nil }
    function = make(hashable)
  }

  package func callAsFunction(_ value: Value) -> UInt64 { function(value) }
}

/// A single reference hashes like its id, so that an index of links serves it.
private func referenceHash<Value, Linking: RelationValue>(_: Linking.Type) -> ((Value) -> UInt64)? {
  guard Linking.cardinality != .many else { return nil }
  return { value in
    var hash = noReferenceHash
    // Linking is Value itself: it was found by casting the metatype.
    unsafeBitCast(value, to: Linking.self).forEachReference { hash = idHash($0.id) }
    return hash
  }
}

/// Stands for a missing optional reference, so that objects without a link are listed, too.
package let noReferenceHash: UInt64 = 0
