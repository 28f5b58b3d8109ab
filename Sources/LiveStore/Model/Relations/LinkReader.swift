struct LinkReader<Target: Entity>: LinkReading {
  let forEach: @Sendable (UnsafeRawPointer, (Ref<Target>) -> Void) -> Void

  func forEachHash(_ object: UnsafeRawPointer, _ body: (UInt64) -> Void) {
    forEach(object) { body(idHash($0.id)) }
  }

  func isLinked(_ object: UnsafeRawPointer, to target: UnsafeRawPointer) -> Bool {
    // Targets are rows of the table of `Target`.
    let id = target.object(as: Target.self).pointee.id
    var isLinked = false
    forEach(object) { isLinked = isLinked || isEqualValue($0.id, id) }
    return isLinked
  }

  func visited<Visitor: LinkVisitor>(by visitor: Visitor) -> Visitor.Result { visitor.visit(self) }

  func nested(
    _ each: @escaping @Sendable (UnsafeRawPointer, (UnsafeRawPointer) -> Void) -> Void
  ) -> any LinkReading {
    let inner = forEach
    return LinkReader { object, body in each(object) { inner($0, body) } }
  }
}
