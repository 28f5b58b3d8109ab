extension Query {
  /// Keeps the first row of each value of a property, in the query's order; with several, of each combination.
  ///
  /// ```swift
  /// let latest = Message.sorted(by: \.date, .descending).distinct(by: \.conversation).limit(20)
  /// ```
  /// Later steps apply to these rows: `limit`, `where`, `sorted`, another `distinct`. Nil is a value, and so is NaN.
  ///
  /// - Complexity: O(*m* log *m*) to evaluate; upkeep is O(*k* log *m*) for *k* rows that changed.
  public func distinct<Value: Hashable & Sendable, each Other: Hashable & Sendable>(
    by keyPath: KeyPath<Row<Element>, Expr<Value>>, _ others: repeat KeyPath<Row<Element>, Expr<each Other>>
  ) -> Query {
    let row = Row<Element>()
    var keys = [KeySource(row[keyPath: keyPath]).sortKey]
    for other in repeat each others { keys.append(KeySource(row[keyPath: other]).sortKey) }
    return distinct(by: keys)
  }

  /// Keeps the first row of each value of a property whose type has an order.
  @_disfavoredOverload
  public func distinct<Value: Comparable & Sendable>(
    by keyPath: KeyPath<Row<Element>, Expr<Value>>
  ) -> Query {
    distinct(by: [KeySource(Row()[keyPath: keyPath]).sortKey])
  }

  /// Two stages: one ordered by the keys and then like the query, and one with the first row of each value.
  func distinct(by keys: [SortKey]) -> Query {
    var own = RowOrder(keys: [])
    var query = changed { stage in
      own = stage.order
      stage.order = RowOrder(keys: keys + own.keys)
      stage.servingKeys = keys.count
    }
    query.stages.append(
      QueryStage(order: own, inheritsOrder: true, hasWindow: true, distinct: keys))
    return query
  }
}

extension Entity {
  /// The first object of each value of a property, in insertion order.
  public static func distinct<Value: Hashable & Sendable>(
    by keyPath: KeyPath<Row<Self>, Expr<Value>>
  ) -> Query<Self> {
    all.distinct(by: keyPath)
  }
}
