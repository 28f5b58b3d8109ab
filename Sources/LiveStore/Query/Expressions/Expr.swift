/// A typed expression over a row: a property, or a condition on properties.
///
/// An expression is a value: it is compared, hashed and printed, and the store derives from it which indexes serve it
/// and which commits can affect it.
@dynamicMemberLookup
public struct Expr<Value>: Sendable {
  @usableFromInline package let source: ExprSource
  @usableFromInline package let accessor: Accessor<Value>

  /// The links that lead to rows of other tables.
  package let chains: [LinkChain]
  /// The path along which it is read, if there is one.
  package let trail: LinkTrail?
  /// Whether it reads values of its own row besides those behind the links.
  package var readsOwnRow = false

  package init(
    source: ExprSource, accessor: Accessor<Value>, chains: [LinkChain] = [], trail: LinkTrail? = nil
  ) {
    self.source = source
    self.accessor = accessor
    self.chains = chains
    self.trail = trail
  }

  /// A part of this value.
  private func part<Part>(
    _ keyPath: any AnyKeyPath & Sendable, _ accessor: Accessor<Part>
  ) -> Expr<Part> {
    let trail = trail.map {
      LinkTrail(hops: $0.hops, entity: $0.entity, path: $0.path.appending(keyPath))
    }
    return Expr<Part>(
      source: source.appending(keyPath), accessor: accessor, chains: chains, trail: trail)
  }

  /// A member of the value: `$0.address.city`.
  @_disfavoredOverload
  public subscript<Member>(dynamicMember keyPath: SendableKeyPath<Value, Member>) -> Expr<Member> {
    part(keyPath, accessor.appending(keyPath))
  }

  /// A member of an optional value, nil where the value is.
  @_disfavoredOverload
  public subscript<Wrapped, Member>(
    dynamicMember keyPath: SendableKeyPath<Wrapped, Member>
  ) -> Expr<Member?> where Value == Wrapped? {
    part(keyPath, accessor.chaining(keyPath))
  }

  /// An optional member of an optional value, nil if either is.
  @_disfavoredOverload
  public subscript<Wrapped, Member>(
    dynamicMember keyPath: SendableKeyPath<Wrapped, Member?>
  ) -> Expr<Member?> where Value == Wrapped? {
    part(keyPath, accessor.chaining(flattening: keyPath))
  }
}

extension Expr<Bool> {
  @usableFromInline
  package init(_ filter: ConditionTree) { self.init(filter, chains: filter.operands.flatMap(\.chains)) }

  /// - Parameter chains: the chains of all its operands.
  init(_ filter: ConditionTree, chains: [LinkChain]) {
    self.init(
      source: .condition(filter),
      accessor: .function { row, context in filter.matches(row, context) },
      chains: chains)
  }

  /// This condition as a filter; a Boolean property stands for its being true.
  @usableFromInline
  package var filter: ConditionTree {
    switch source {
    case .condition(let filter): filter
    case .path: (self == true).filter
    }
  }
}
