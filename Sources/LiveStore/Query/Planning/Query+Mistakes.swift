// Overloads for keys of unsuitable types, so that the compiler explains the mistake. None can be called.

extension Query {
  /// Refuses an order by a type that has none.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      Rows are sorted by a property that is Comparable, Bool, an enumeration with raw values that is \
      CaseIterable, or an optional of these. Make its type one of them, or sort by a part of it.
      """
  )
  public func sorted<Value>(
    by keyPath: KeyPath<Row<Element>, Expr<Value>>, _ order: SortDirection = .ascending
  ) -> Query { neverCalled() }

  /// Refuses sections by a type that has no order.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      Sections stand in the order of their keys, so the property must be Comparable and Hashable, Bool, \
      an enumeration with raw values that is CaseIterable, or an optional of these.
      """
  )
  public func sectioned<Key>(
    by keyPath: KeyPath<Row<Element>, Expr<Key>>
  ) -> SectionedQuery<Element, Int> { neverCalled() }

  /// Refuses sections by a type that has no order.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      Sections stand in the order of their keys, so what the closure returns must be Comparable and \
      Hashable, or an enumeration with raw values that is CaseIterable.
      """
  )
  public func sectioned<Key>(
    by key: @escaping @Sendable (Element) -> Key
  ) -> SectionedQuery<Element, Int> { neverCalled() }

  /// Refuses groups by a type whose values cannot be looked up.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      Rows are grouped by a property of a Hashable type. Make its type Hashable.
      """
  )
  public func grouped<Key>(by keyPath: KeyPath<Row<Element>, Expr<Key>>) -> GroupedQuery<Element, Int> {
    neverCalled()
  }

  /// Refuses distinct values of a type whose values cannot be looked up.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      Distinct values are those of a property of a Hashable type. Make its type Hashable.
      """
  )
  public func distinct<Value>(by keyPath: KeyPath<Row<Element>, Expr<Value>>) -> Query { neverCalled() }
}

extension Entity {
  /// Refuses an order by a type that has none.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      Rows are sorted by a property that is Comparable, Bool, an enumeration with raw values that is \
      CaseIterable, or an optional of these. Make its type one of them, or sort by a part of it.
      """
  )
  public static func sorted<Value>(
    by keyPath: KeyPath<Row<Self>, Expr<Value>>, _ order: SortDirection = .ascending
  ) -> Query<Self> { neverCalled() }

  /// Refuses distinct values of a type whose values cannot be looked up.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      Distinct values are those of a property of a Hashable type. Make its type Hashable.
      """
  )
  public static func distinct<Value>(by keyPath: KeyPath<Row<Self>, Expr<Value>>) -> Query<Self> {
    neverCalled()
  }
}
