// Two edits of one object are merged property by property: an undo with what other writers wrote since, and an
// optimistic transaction with the ignored properties that other writers wrote in the meantime. `before` and `after`
// are the object on both sides of one edit, `current` is the result of the other.

/// The operations on a property that merging needs.
struct MergedProperty: Sendable {
  /// Whether two objects have the same value, as far as that can be known.
  let isSame: @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool
  /// Copies the value from one object to another; nil if the key path is not writable.
  let assign: (@Sendable (_ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer) -> Void)?
  /// Whether the value is derived from other properties.
  let isDerived: Bool

  init<Element: Entity, Value>(
    _ keyPath: SendableKeyPath<Element, Value>,
    isSame: @escaping @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool
  ) {
    self.isSame = isSame
    let reader = ObjectReader(keyPath)
    if let writable = writableKeyPath(keyPath) {
      assign = { source, target in
        // Both are objects of the entity.
        target.object(as: Element.self).pointee[keyPath: writable] = reader.read(source)
      }
      isDerived = false
    } else {
      assign = nil
      isDerived = MemoryLayout<Element>.offset(of: keyPath) == nil
    }
  }

  /// A property whose type may have no `==`.
  init<Element: Entity, Value>(ignoring keyPath: SendableKeyPath<Element, Value>) {
    let (reader, offset) = (ObjectReader(keyPath), MemoryLayout<Element>.offset(of: keyPath) ?? 0)
    let bytes = offset..<offset + (reader.isStored ? MemoryLayout<Value>.size : 0)
    self.init(keyPath) { lhs, rhs in
      if hasSameBytes(lhs, rhs, in: bytes) { return true }
      return isSamePart(reader.read(lhs), reader.read(rhs))
    }
  }
}
