extension Query {
  /// Orders by any expression, such as the number of objects that link to a row; after another `sorted`, orders its
  /// ties.
  ///
  /// ```swift
  /// User.all.sorted(.descending) { $0.linking(\Post.author).count }
  /// ```
  public func sorted<Value: Comparable & Sendable>(
    _ order: SortDirection = .ascending, by value: (Row<Element>) -> Expr<Value>
  ) -> Query {
    sorted(Row.expression(value), order)
  }

  /// Orders by any optional expression: nil first ascending, last descending.
  public func sorted<Value: Comparable & Sendable>(
    _ order: SortDirection = .ascending, by value: (Row<Element>) -> Expr<Value?>
  ) -> Query {
    sorted(Row.expression(value), order)
  }

  /// Treats a linked value as a value of the rows, as with key paths, where no key path leads to it.
  ///
  /// ```swift
  /// User.all.tracking { $0.linking(\Post.author).count }
  /// ```
  public func tracking<Value>(_ value: (Row<Element>) -> Expr<Value>) -> Query {
    tracking(Row.expression(value).named)
  }
}
