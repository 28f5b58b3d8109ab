// Two edits of one object are merged property by property: an undo with what others wrote since, and an optimistic
// transaction with ignored properties that others wrote meanwhile. `before` and `after` are the object on both sides of
// one edit, `current` is what the other has made of it.

/// A property as merging two edits of an object needs it.
struct MergedProperty: Sendable {
  /// Whether two objects have the same value, as far as that can be known.
  let isSame: @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool
  /// Gives an object the value that another has; nil where the key path cannot be written through.
  let assign: (@Sendable (_ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer) -> Void)?
  /// Whether the value follows from other properties.
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
    let (reader, offset) = (ObjectReader(keyPath), MemoryLayout<Element>.offset(of: keyPath))
    self.init(keyPath) { lhs, rhs in
      if let offset, hasSameBytes(lhs + offset, rhs + offset, as: Value.self) { return true }
      return isSamePart(reader.read(lhs), reader.read(rhs))
    }
  }
}
