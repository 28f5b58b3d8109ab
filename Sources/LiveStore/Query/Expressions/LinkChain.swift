/// Whether a value read from a row is the same in two rows, each read in its own tables.
package typealias SameTest =
  @Sendable (UnsafeRawPointer, ReadContext, UnsafeRawPointer, ReadContext) -> Bool

/// One step from the rows of an entity to rows linked with them.
package struct LinkHop: Hashable, Sendable {
  /// The entity that holds the link, and its property.
  package let source: ObjectIdentifier
  package let path: PropertyPath
  /// Whether the step is from a target to the objects that link to it.
  package let isBackward: Bool
}

/// A value that an expression names: of its own row, or of rows that a chain of links leads to.
///
/// Operands are equal when their paths are.
package struct Operand: Hashable, Sendable {
  package let path: PropertyPath
  /// The links that lead to rows of other tables; none for a value of the row itself.
  package let chains: [LinkChain]
  /// Nil if the values cannot be compared.
  package let isSame: SameTest?
  /// The value of a row.
  let value: (@Sendable (UnsafeRawPointer, ReadContext) -> any Sendable)?

  package static func == (lhs: Operand, rhs: Operand) -> Bool { lhs.path == rhs.path }
  package func hash(into hasher: inout Hasher) { hasher.combine(path) }
}

extension LinkHop {
  /// Whether the link is the same in two rows that hold it.
  var isSame: SameTest {
    { before, old, after, _ in
      guard let found = old.catalog.link(of: source, path) else { return true }
      return old.catalog.entities[found.table].links[found.link].isSame(before, after)
    }
  }
}

/// Links from a row to others, and the value that is read there.
///
/// An expression depends on the rows at the end of each hop: on their existence, on the links that they hold for the
/// next hop, and at the last hop on the value read.
package struct LinkChain: Hashable, Sendable {
  package let hops: [LinkHop]
  /// Nil when nothing is read there: the rows are only counted.
  package let read: Operand?

  /// The chain as seen from rows from which some hops lead to its own.
  func prefixed(by prefix: [LinkHop]) -> LinkChain { LinkChain(hops: prefix + hops, read: read) }
}

extension LinkChain {
  /// The tables at the ends of its hops.
  func tables(in catalog: Catalog) -> [Int] {
    hops.compactMap { hop in
      guard let link = catalog.link(of: hop.source, hop.path) else { return nil }
      return hop.isBackward
        ? link.table : catalog.index(of: catalog.entities[link.table].links[link.link].target)
    }
  }
}

extension Operand {
  /// The value of an expression; nil if it is not read along a path.
  init?<Value>(_ expr: Expr<Value>) {
    guard let path = expr.source.path else { return nil }
    let accessor = expr.accessor
    self.init(
      path: path, chains: expr.chains, isSame: expr.isSame,
      value: {
        // Of one layout. Stored parts of Sendable objects are Sendable; the value of a computed property is made for
        // this reader.
        unsafeBitCast(accessor.read($0, $1) as Any, to: (any Sendable).self)
      })
  }

  /// The dependencies of rows from which some hops lead to this one's.
  func chains(through hops: [LinkHop]) -> [LinkChain] {
    chains.isEmpty ? [LinkChain(hops: hops, read: self)] : chains.map { $0.prefixed(by: hops) }
  }
}

extension [Operand] {
  /// Whether some value differs in two rows; a value that cannot be compared does not count.
  func differ(
    _ before: UnsafeRawPointer, _ old: ReadContext, _ after: UnsafeRawPointer, _ new: ReadContext
  ) -> Bool {
    contains { $0.isSame.map { !$0(before, old, after, new) } ?? false }
  }
}

extension Expr {
  /// The values that this names: its own, or those of the condition that it stands for.
  var operands: [Operand] {
    switch source {
    case .path: Operand(self).map { [$0] } ?? []
    case .condition(let filter): filter.operands
    }
  }
}

extension Condition {
  /// Whether it is unknown what it reads.
  var isOpaque: Bool {
    switch form {
    case .closure, .predicate: operands.isEmpty
    case .program(let program): program.conditions.contains(where: \.isOpaque)
    default: false
    }
  }
}

extension Filter {
  /// The values that the conditions name; none for a closure.
  package var operands: [Operand] {
    switch self {
    case .constant: []
    case .condition(let condition): condition.operands
    case .all(let filters), .any(let filters): filters.flatMap(\.operands)
    case .not(let filter): filter.operands
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

  /// The dependencies of rows from which some hops lead to rows that this filter tests.
  func chains(through hops: [LinkHop]) -> [LinkChain] {
    // The existence of these rows always matters.
    var chains = [LinkChain(hops: hops, read: hasClosure ? .anything : nil)]
    for operand in operands {
      for chain in operand.chains(through: hops) where !chains.contains(chain) { chains.append(chain) }
    }
    return chains
  }
}

extension Operand {
  /// Stands for whatever a closure may read: any change of the row counts.
  static let anything = Operand(path: PropertyPath(dynamic: ["*"]), chains: [], isSame: nil, value: nil)
}
