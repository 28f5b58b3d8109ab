/// Whether a value read from a row is the same in two rows, each read in its own tables.
package typealias SameTest =
  @Sendable (UnsafeRawPointer, ReadContext, UnsafeRawPointer, ReadContext) -> Bool

/// A value, read over links, that a filter, an order or a consumer of a query names: rows differ where it does.
///
/// What it reads is a function of its term (``Term/chains``). How two values are compared depends on their type.
package struct NamedValue: Hashable, Sendable {
  package let term: Term
  /// Nil if the values cannot be compared.
  package let isSame: SameTest?
  /// The value of a row.
  let value: (@Sendable (UnsafeRawPointer, ReadContext) -> any Sendable)?

  init(_ term: Term, isSame: SameTest? = nil) { (self.term, self.isSame, value) = (term, isSame, nil) }

  init<Value>(_ expr: Expr<Value>) {
    let accessor = expr.accessor
    (term, isSame) = (expr.term, expr.isSame)
    value = {
      // Both types have one layout. Stored parts of Sendable objects are Sendable; the value of a computed
      // property is made for this reader.
      unsafeBitCast(accessor.read($0, $1) as Any, to: (any Sendable).self)
    }
  }

  package static func == (lhs: NamedValue, rhs: NamedValue) -> Bool { lhs.term == rhs.term }
  package func hash(into hasher: inout Hasher) { hasher.combine(term) }
}

extension [NamedValue] {
  /// Whether some value differs in two rows; a value that cannot be compared does not count.
  func differ(
    _ before: UnsafeRawPointer, _ old: ReadContext, _ after: UnsafeRawPointer, _ new: ReadContext
  ) -> Bool {
    contains { $0.isSame.map { !$0(before, old, after, new) } ?? false }
  }

  /// The values, each once, in their order.
  var distinct: [NamedValue] {
    if count < 2 { return self }
    var known: Set<NamedValue> = []
    return filter { known.insert($0).inserted }
  }

  /// The links that lead to the values, each with what is read there.
  package var chains: Set<TermRead> { Set(flatMap(\.term.chains)) }
}

extension Expr {
  /// The values that this names which are read over links: its own, or those of the condition that it stands for.
  var named: [NamedValue] {
    switch source {
    case .path(let path): property == nil && path.followsLinks ? [NamedValue(self)] : []
    case .condition(let filter): filter.named
    }
  }
}

extension ConditionTree {
  /// The values read over links that the conditions name.
  package var named: [NamedValue] {
    var named: [NamedValue] = []
    _ = contains { condition in
      named += condition.named
      return false
    }
    return named
  }

  /// Whether some condition reads its row in an unknown way.
  var hasClosure: Bool { contains(where: \.term.isOpaque) }
}

extension TermRead {
  /// The tables at the ends of its hops.
  func tables(in catalog: Catalog) -> [Int] {
    hops.compactMap { hop in
      guard let link = catalog.link(of: hop.source, hop.path) else { return nil }
      return hop.isBackward
        ? link.table : catalog.index(of: catalog.entities[link.table].links[link.link].target)
    }
  }
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
