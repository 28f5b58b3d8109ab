/// Reads the references of a relation without knowing their type.
///
/// Objects are pointers to rows of the entity that has the relation, or to copies of rows; targets are rows of the
/// linked entity.
protocol LinkReading: Sendable {
  /// Calls a body with the hash of each linked id, in order.
  func forEachHash(_ object: UnsafeRawPointer, _ body: (UInt64) -> Void)

  /// Whether the object links to a target.
  func isLinked(_ object: UnsafeRawPointer, to target: UnsafeRawPointer) -> Bool

  /// Passes itself to a visitor, with its type.
  func visited<Visitor: LinkVisitor>(by visitor: Visitor) -> Visitor.Result

  /// The same references, read from objects in which they are nested.
  ///
  /// - Parameter each: calls a closure with every nested value in an object.
  func nested(
    _ each: @escaping @Sendable (UnsafeRawPointer, (UnsafeRawPointer) -> Void) -> Void
  ) -> any LinkReading
}

/// An operation on a relation's references that needs the type of their targets.
protocol LinkVisitor {
  associatedtype Result
  func visit<Target: Entity>(_ links: LinkReader<Target>) -> Result
}
