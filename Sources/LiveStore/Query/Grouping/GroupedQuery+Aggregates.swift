extension GroupedQuery {
  private func aggregate<Value>(_ kind: AggregateKind<Value>) -> GroupAggregate<Element, Key, Value> {
    GroupAggregate(groups: self, kind: kind)
  }

  /// How many rows each group has.
  public var count: GroupAggregate<Element, Key, Int> { aggregate(.count) }

  /// The sum of a property in each group; nil is skipped.
  ///
  /// Sums are exact and rounded once, so they depend neither on the order of rows nor on earlier versions. If a sum
  /// of integers does not fit their type, it is the nearest value that does.
  public func sum<Value: SummableValue>(
    _ keyPath: KeyPath<Row<Element>, Expr<Value>>
  ) -> GroupAggregate<Element, Key, Value.Summand> {
    aggregate(.sum(Row()[keyPath: keyPath]))
  }

  /// The mean of a property in each group: the exact sum divided by the number of values.
  public func average<Value: Summable>(
    _ keyPath: KeyPath<Row<Element>, Expr<Value>>
  ) -> GroupAggregate<Element, Key, Double> {
    aggregate(.averageOfGroup(Row()[keyPath: keyPath]))
  }

  /// The mean of an optional property in each group; nil is skipped, and is the mean if there is nothing else.
  public func average<Value: Summable>(
    _ keyPath: KeyPath<Row<Element>, Expr<Value?>>
  ) -> GroupAggregate<Element, Key, Double?> {
    aggregate(.average(Row()[keyPath: keyPath]))
  }

  /// The least value of a property in each group: the first in ascending order, where NaN comes first.
  public func min<Value: Comparable & Sendable>(
    _ keyPath: KeyPath<Row<Element>, Expr<Value>>
  ) -> GroupAggregate<Element, Key, Value> {
    aggregate(.extreme(.least, of: Row()[keyPath: keyPath]))
  }

  /// The least value of an optional property in each group; nil is skipped, and is the result if there is nothing
  /// else.
  public func min<Value: Comparable & Sendable>(
    _ keyPath: KeyPath<Row<Element>, Expr<Value?>>
  ) -> GroupAggregate<Element, Key, Value?> {
    aggregate(.extreme(.least, of: Row()[keyPath: keyPath]))
  }

  /// The greatest value of a property in each group: the last in ascending order; NaN only if all values are.
  public func max<Value: Comparable & Sendable>(
    _ keyPath: KeyPath<Row<Element>, Expr<Value>>
  ) -> GroupAggregate<Element, Key, Value> {
    aggregate(.extreme(.greatest, of: Row()[keyPath: keyPath]))
  }

  /// The greatest value of an optional property in each group; nil is skipped, and is the result if there is nothing
  /// else.
  public func max<Value: Comparable & Sendable>(
    _ keyPath: KeyPath<Row<Element>, Expr<Value?>>
  ) -> GroupAggregate<Element, Key, Value?> {
    aggregate(.extreme(.greatest, of: Row()[keyPath: keyPath]))
  }
}
