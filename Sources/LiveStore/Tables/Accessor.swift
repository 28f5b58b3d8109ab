/// How the value of an expression is read from a row in a tree's leaf.
///
/// A stored property lies at a fixed offset and costs one load; anything else is read by a function.
@usableFromInline
package enum Accessor<Value>: Sendable {
  case offset(Int)
  case function(@Sendable (UnsafeRawPointer, ReadContext) -> Value)

  /// The value in a row, which must hold an object of the expression's entity.
  @inlinable
  package func read(_ row: UnsafeRawPointer, _ context: ReadContext) -> Value {
    switch self {
    // The offset is `MemoryLayout.offset(of:)` of a stored property of this type.
    case .offset(let offset): (row + offset).object(as: Value.self).pointee
    case .function(let function): function(row, context)
    }
  }
}

extension Accessor {
  package init<Root>(_ keyPath: SendableKeyPath<Root, Value>) {
    switch ObjectReader(keyPath) {
    case .offset(let offset): self = .offset(offset)
    case .function(let read): self = .function { row, _ in read(row) }
    }
  }

  package func appending<Member>(_ keyPath: SendableKeyPath<Value, Member>) -> Accessor<Member> {
    if case .offset(let base) = self, let offset = MemoryLayout<Value>.offset(of: keyPath) {
      return .offset(base + offset)
    }
    return .function { row, context in self.read(row, context)[keyPath: keyPath] }
  }
}

extension Accessor {
  package func chaining<Wrapped, Member>(
    _ keyPath: SendableKeyPath<Wrapped, Member>
  ) -> Accessor<Member?> where Value == Wrapped? {
    .function { row, context in self.read(row, context)?[keyPath: keyPath] }
  }

  package func chaining<Wrapped, Member>(
    flattening keyPath: SendableKeyPath<Wrapped, Member?>
  ) -> Accessor<Member?> where Value == Wrapped? {
    .function { row, context in self.read(row, context)?[keyPath: keyPath] }
  }
}
