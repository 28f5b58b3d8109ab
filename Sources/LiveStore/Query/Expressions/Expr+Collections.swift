extension Expr where Value: Collection & SendableMetatype {
  /// The number of elements, in filters and sorts.
  public var count: Expr<Int> { member("count") { $0.count } }

  /// Whether there are no elements, in filters.
  public var isEmpty: Expr<Bool> { member("isEmpty") { $0.isEmpty } }
}

extension Expr {
  /// A value that is computed from this one, under a name in its path.
  func member<Member>(_ name: String, _ read: @escaping @Sendable (Value) -> Member) -> Expr<Member> {
    let accessor = accessor
    return Expr<Member>(
      source: source.appending(name), accessor: .function { read(accessor.read($0, $1)) }, reads: reads)
  }
}
