/// One step from the rows of an entity to rows linked with them.
package struct LinkStep: Hashable, Sendable {
  /// The entity that holds the link, and its property.
  package let source: ObjectIdentifier
  package let path: Term
  /// Whether the step is from a target to the objects that link to it.
  package let isBackward: Bool
}

extension LinkStep {
  /// Whether the link is the same in two rows that hold it.
  var isSame: SameTest {
    { before, old, after, _ in
      guard let found = old.catalog.link(of: source, path) else { return true }
      return old.catalog.entities[found.table].links[found.link].isSame(before, after)
    }
  }
}
