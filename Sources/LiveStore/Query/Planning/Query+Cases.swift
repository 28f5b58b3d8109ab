/// An enumeration that is not `Comparable` and sorts in the order in which its cases are declared.
public typealias OrderedCases = CaseIterable & RawRepresentable & Hashable & Sendable

extension Query {
  /// Orders by an enumeration with raw values, in the order in which its cases are declared; by its own `<` if it has
  /// one.
  ///
  /// ```swift
  /// enum Status: String, CaseIterable { case draft, published, archived }
  /// Post.all.sorted(by: \.status)      // drafts first
  /// ```
  /// - Parameters:
  ///   - keyPath: the property, also over links: `\.author.rank`.
  ///   - order: `.ascending` from the case declared first to the last, or `.descending`.
  /// - Complexity: O(1); fetching costs as much as with any order.
  @_disfavoredOverload
  public func sorted<Value: OrderedCases>(
    by keyPath: KeyPath<Row<Element>, Expr<Value>>, _ order: SortDirection = .ascending
  ) -> Query {
    sorted(Row<Element>()[keyPath: keyPath], order)
  }

  /// Orders by an optional enumeration: nil first ascending, then the cases in the order of their declaration.
  ///
  /// - Parameters:
  ///   - keyPath: the property, also over links.
  ///   - order: `.ascending` for nil and the case declared first at the beginning, or `.descending`.
  @_disfavoredOverload
  public func sorted<Value: OrderedCases>(
    by keyPath: KeyPath<Row<Element>, Expr<Value?>>, _ order: SortDirection = .ascending
  ) -> Query {
    sorted(Row<Element>()[keyPath: keyPath], order)
  }
}

extension Entity {
  /// All objects ordered by an enumeration, in the order in which its cases are declared.
  ///
  /// - Parameters:
  ///   - keyPath: the property, also over links.
  ///   - order: `.ascending` from the case declared first to the last, or `.descending`.
  @_disfavoredOverload
  public static func sorted<Value: OrderedCases>(
    by keyPath: KeyPath<Row<Self>, Expr<Value>>, _ order: SortDirection = .ascending
  ) -> Query<Self> {
    all.sorted(by: keyPath, order)
  }

  /// All objects ordered by an optional enumeration, nil first ascending.
  ///
  /// - Parameters:
  ///   - keyPath: the property, also over links.
  ///   - order: `.ascending` for nil and the case declared first at the beginning, or `.descending`.
  @_disfavoredOverload
  public static func sorted<Value: OrderedCases>(
    by keyPath: KeyPath<Row<Self>, Expr<Value?>>, _ order: SortDirection = .ascending
  ) -> Query<Self> {
    all.sorted(by: keyPath, order)
  }
}
