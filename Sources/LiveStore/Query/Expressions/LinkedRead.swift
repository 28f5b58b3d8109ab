/// Links from a row to others, and the value that is read there.
///
/// An expression depends on the rows at the end of each hop: on their existence, on the links that they hold for the
/// next hop, and at the last hop on the value read.
package struct LinkedRead: Hashable, Sendable {
  package let hops: [LinkStep]
  /// Nil when nothing is read there: the rows are only counted.
  package let read: Dependency?

  /// The chain for rows from which some hops lead to its own rows.
  func prefixed(by prefix: [LinkStep]) -> LinkedRead { LinkedRead(hops: prefix + hops, read: read) }
}

extension LinkedRead {
  /// The tables at the ends of its hops.
  func tables(in catalog: Catalog) -> [Int] {
    hops.compactMap { hop in
      guard let link = catalog.link(of: hop.source, hop.path) else { return nil }
      return hop.isBackward
        ? link.table : catalog.index(of: catalog.entities[link.table].links[link.link].target)
    }
  }
}

extension Expr {
  /// The values that this names: its own, or the values of the condition that it stands for.
  var dependencies: [Dependency] {
    switch source {
    case .path: property?.dependencies ?? Dependency(self).map { [$0] } ?? []
    case .condition(let filter): filter.dependencies
    }
  }
}

extension Condition {
  /// Whether its reads are unknown.
  var isOpaque: Bool {
    program?.leaves.contains(where: \.isOpaque) ?? (term.isOpaque && dependencies.isEmpty)
  }
}

extension ConditionTree {
  /// The values that the conditions name; none for a closure.
  package var dependencies: [Dependency] {
    switch self {
    case .constant: []
    case .condition(let condition): condition.dependencies
    case .all(let filters), .any(let filters): filters.flatMap(\.dependencies)
    case .not(let filter): filter.dependencies
    }
  }

  /// Whether some condition names a value that is read along links.
  var readsLinks: Bool {
    switch self {
    case .constant: false
    // By their indices, since copying an operand takes long.
    case .condition(let condition):
      condition.dependencies.indices.contains { !condition.dependencies[$0].chains.isEmpty }
    case .all(let filters), .any(let filters): filters.contains(where: \.readsLinks)
    case .not(let filter): filter.readsLinks
    }
  }

  /// Whether some condition reads its row in an unknown way.
  var hasClosure: Bool {
    switch self {
    case .constant: false
    case .condition(let condition): condition.isOpaque
    case .all(let filters), .any(let filters): filters.contains(where: \.hasClosure)
    case .not(let filter): filter.hasClosure
    }
  }

  /// The chains for rows from which some hops lead to rows that this filter tests.
  func chains(through hops: [LinkStep]) -> [LinkedRead] {
    // The existence of these rows always matters.
    var chains = [LinkedRead(hops: hops, read: hasClosure ? .anything : nil)]
    for operand in dependencies {
      for chain in operand.chains(through: hops) where !chains.contains(chain) { chains.append(chain) }
    }
    return chains
  }
}
