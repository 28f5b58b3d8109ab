extension Expr where Value: Collection & SendableMetatype {
  /// The number of elements, in filters and sorts.
  public var count: Expr<Int> { member(.count) { $0.count } }

  /// Whether there are no elements, in filters.
  public var isEmpty: Expr<Bool> { member(.isEmpty) { $0.isEmpty } }
}

extension Expr {
  /// A function of this value.
  func member<Member>(_ function: TermFunction, _ read: @escaping @Sendable (Value) -> Member) -> Expr<Member>
  {
    let accessor = accessor
    // All characters of a text are visited.
    let isText = Value.self == String.self || Value.self == String?.self
    let member = { @Sendable (row: UnsafeRawPointer, context: ReadContext) -> Member in
      let value = accessor.read(row, context)
      if isText, let run = context.run, let text = value as? String { _ = run.read(text, isFolded: true) }
      return read(value)
    }
    return Expr<Member>(
      source: .path(.function(function, term)), accessor: .function(member), level: level)
  }
}
