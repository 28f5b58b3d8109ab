/// Where an expression is read: the links that lead to the rows of an entity, and the path there.
package struct ReadLocation: Sendable {
  package let hops: [LinkStep]
  package let entity: ObjectIdentifier
  package let path: Term

  /// The entity whose rows the expression is read from; nil if the first link is one to them.
  var root: ObjectIdentifier? {
    guard let hop = hops.first else { return entity }
    return hop.isBackward ? nil : hop.source
  }

  /// The links up to and including the one that is read here.
  var forward: [LinkStep] { hops + [LinkStep(source: entity, path: path, isBackward: false)] }

  /// The same for an expression over rows that some links lead to.
  func prefixed(by prefix: [LinkStep]) -> ReadLocation {
    ReadLocation(hops: prefix + hops, entity: entity, path: path)
  }
}
