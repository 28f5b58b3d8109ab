/// Reads one value from objects of a type, given as pointers.
///
/// A stored property lies at a fixed offset and costs one load; anything else is read by its key path.
enum ObjectReader<Value>: Sendable {
  case offset(Int)
  case function(@Sendable (UnsafeRawPointer) -> Value)

  init<Root>(_ keyPath: SendableKeyPath<Root, Value>) {
    if let offset = MemoryLayout<Root>.offset(of: keyPath) {
      self = .offset(offset)
    } else {
      // The object is a `Root`.
      self = .function { $0.object(as: Root.self).pointee[keyPath: keyPath] }
    }
  }

  var isStored: Bool { if case .offset = self { true } else { false } }

  func read(_ object: UnsafeRawPointer) -> Value {
    switch self {
    // The offset is `MemoryLayout.offset(of:)` of a stored property of this type.
    case .offset(let offset): (object + offset).object(as: Value.self).pointee
    case .function(let function): function(object)
    }
  }
}
