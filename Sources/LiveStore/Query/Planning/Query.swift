public import Foundation

/// A filter, an order and a window over an entity's objects: a value that is fetched, observed and shared.
///
/// ```swift
/// let popular = Post.where { $0.likeCount >= 10 }.sorted(by: \.likeCount, .descending).limit(20)
/// ```
/// Steps apply in order: `sorted` after `sorted` is a further key; `where` or `sorted` after `limit` or `offset`
/// filters or orders the window. Equal queries share one maintained result, even with different windows.
public struct Query<Element: Entity>: Hashable, Sendable, CustomStringConvertible {
  package var stages: [QueryStage]

  init(stages: [QueryStage] = [QueryStage()]) { self.stages = stages }

  /// The query and its windows, in Swift syntax.
  public var description: String {
    "\(Element.self)" + stages.map(\.description).joined()
  }
}

extension Query {
  /// How many rows the last window skips.
  package var offset: Int { stages[stages.count - 1].offset }
  /// How many rows the last window has at most.
  package var limit: Int? { stages[stages.count - 1].limit }

  /// The same rows with another window.
  package func window(offset: Int, limit: Int?) -> Query {
    changed(isWindow: true) { stage in
      stage.offset = Swift.max(0, offset)
      stage.limit = limit.map { Swift.max(0, $0) }
    }
  }

  package func changed(isWindow: Bool = false, _ change: (inout QueryStage) -> Void) -> Query {
    var query = self
    if !isWindow, query.stages[query.stages.count - 1].hasWindow {
      var next = QueryStage()
      next.order = query.stages[query.stages.count - 1].order
      next.inheritsOrder = true
      query.stages.append(next)
    }
    change(&query.stages[query.stages.count - 1])
    if isWindow { query.stages[query.stages.count - 1].hasWindow = true }
    return query
  }

  /// Selects the rows that meet a condition.
  public func `where`(_ filter: (Row<Element>) -> Expr<Bool>) -> Query {
    selecting(Row.filter(filter))
  }

  /// Selects the rows that meet a filter over them alone.
  func selecting(_ filter: ConditionTree) -> Query { changed { $0.select(filter) } }

  /// Selects the rows for which a closure returns true.
  ///
  /// The closure must be pure. The store cannot analyse it: no index serves it, every changed row is tested, and it
  /// equals only itself. Prefer ``where(_:)-((Row<Element>)->Expr<Bool>)`` wherever an expression can say it.
  /// Expressions are tested first, and only rows that pass them are given to the closure.
  @inlinable
  public func filter(_ isIncluded: @escaping @Sendable (Element) -> Bool) -> Query {
    filter(by: closureMask(isIncluded))
  }

  @usableFromInline
  func filter(by mask: @escaping RowMask) -> Query {
    selecting(.condition(Condition(term: .closure(), mask: mask, candidates: nil)))
  }

  /// ``where(_:)-(Predicate<Element>)`` selects by a predicate. An object for which that throws is not selected.
  @available(*, unavailable, renamed: "where(_:)")
  public func filter(_ predicate: Predicate<Element>) -> Query { self }

  /// Orders by a property; after another `sorted`, orders its ties. Remaining ties are in insertion order, or as in
  /// the list that the query starts from.
  public func sorted<Value: Comparable & Sendable>(
    by keyPath: KeyPath<Row<Element>, Expr<Value>>, _ order: SortDirection = .ascending
  ) -> Query {
    sorted(Row<Element>()[keyPath: keyPath], order)
  }

  /// Orders by an optional property: nil first ascending, last descending.
  ///
  /// To sort nil last in ascending order, give it a value: `sorted { $0.due ?? .distantFuture }`.
  public func sorted<Value: Comparable & Sendable>(
    by keyPath: KeyPath<Row<Element>, Expr<Value?>>, _ order: SortDirection = .ascending
  ) -> Query {
    sorted(Row<Element>()[keyPath: keyPath], order)
  }

  /// Orders by a Boolean property: false first ascending.
  public func sorted(
    by keyPath: KeyPath<Row<Element>, Expr<Bool>>, _ order: SortDirection = .ascending
  ) -> Query {
    sorted(Row<Element>()[keyPath: keyPath], order)
  }

  /// Orders by an optional Boolean property: nil, false, true ascending.
  public func sorted(
    by keyPath: KeyPath<Row<Element>, Expr<Bool?>>, _ order: SortDirection = .ascending
  ) -> Query {
    sorted(Row<Element>()[keyPath: keyPath], order)
  }

  package func sorted<Value>(_ expr: Expr<Value>, _ order: SortDirection) -> Query {
    SortKey(expr, order).map { sorted(by: $0) } ?? self
  }

  func sorted(by key: SortKey) -> Query {
    changed {
      let keys = $0.inheritsOrder ? [] : $0.order.keys
      // Rows that tie by an earlier key of the same values tie by this one.
      $0.order = RowOrder(keys: keys.contains { $0.path == key.path } ? keys : keys + [key])
      $0.inheritsOrder = false
    }
  }

  /// Selects the first `count` rows of the result so far; a negative count is zero.
  public func limit(_ count: Int) -> Query {
    changed(isWindow: true) { $0.limit = Swift.min($0.limit ?? .max, Swift.max(0, count)) }
  }

  /// Skips the first `count` rows of the result so far; a negative count is zero.
  public func offset(_ count: Int) -> Query {
    let count = Swift.max(0, count)
    return changed(isWindow: true) {
      $0.offset = $0.offset.addingReportingOverflow(count).overflow ? .max : $0.offset + count
      $0.limit = $0.limit.map { Swift.max(0, $0 - count) }
    }
  }

  /// Treats linked values as values of the rows: a row is a modification if one of them differs.
  ///
  /// ```swift
  /// Post.all.tracking(\.author.name, \.tags.name)
  /// ```
  /// Values that the filter or the sort names are tracked anyway. Values of the row itself always count.
  public func tracking(_ paths: (any PartialKeyPath<Row<Element>> & Sendable)...) -> Query {
    tracking(Self.named(paths))
  }

  /// Treats the linked values among some paths as values of the rows, as ``tracking(_:)`` does with paths that are written
  /// out.
  ///
  /// ```swift
  /// Post.all.tracking(fields.paths)
  /// ```
  public func tracking(_ paths: RowPaths<Element>) -> Query { tracking(Self.named(paths)) }

  /// The values that paths over a row name, other than values of the row itself.
  static func named(_ paths: RowPaths<Element>) -> [NamedValue] {
    let row = Row<Element>()
    return paths.flatMap { (row[keyPath: $0] as? any AnyExpression)?.named ?? [] }
  }

  func tracking(_ named: [NamedValue]) -> Query {
    var query = self
    query.stages[stages.count - 1].track(Set(named))
    return query
  }

  /// Limits how many rows an evaluation of the query may visit, for filters that come from outside.
  ///
  /// ```swift
  /// let posts = store.fetch(Post.where(filter).visiting(atMost: 100_000))
  /// ```
  /// Each of these is a visit: a row that the filter is tested for, an object that a link leads to, once for
  /// each link that is followed at a step, and an element of a list that a condition is tested for. Long
  /// texts, and long searches with a pattern, count as some rows more, and in a filter of many conditions
  /// each visit counts more than once; see <doc:FiltersFromClients>. An evaluation that works for longer than
  /// 20 µs of processor time for each row that it may visit, and longer than a fifth of a second, ends as if
  /// it had visited too many.
  ///
  /// An evaluation that would visit more ends: the results of a fetch are empty, and ``Results/error`` is
  /// `filterTooExpensive`; edits of the query's rows throw it; a live query, whose evaluations and steps of
  /// upkeep may each visit as many, has it as its last event. Counts and other values that cannot report it
  /// are as for no rows. An evaluation also ends, with `cancelled`, if the task that asks for it is
  /// cancelled.
  ///
  /// The limit is part of the query: a query with another limit shares no result with it. The limit has no
  /// text form, so ``Query/format`` is nil.
  /// - Parameter rows: how many rows; of several limits, the least holds.
  public func visiting(atMost rows: Int) -> Query {
    var query = self
    let last = stages.count - 1
    query.stages[last].maximumVisits = Swift.min(stages[last].maximumVisits ?? .max, Swift.max(0, rows))
    return query
  }

  /// How many rows the query has, as a value to observe; costs no more than the query.
  public var count: Count<Element> { Count(query: self) }
}

extension Entity {
  /// All objects, in insertion order: the table itself, at no cost.
  public static var all: Query<Self> { Query() }

  /// The objects that meet a condition.
  public static func `where`(_ filter: (Row<Self>) -> Expr<Bool>) -> Query<Self> { all.where(filter) }

  /// The objects for which a pure closure returns true; see ``Query/filter(_:)-((Element)->Bool)``.
  @inlinable
  public static func filter(_ isIncluded: @escaping @Sendable (Self) -> Bool) -> Query<Self> {
    all.filter(isIncluded)
  }

  /// ``where(_:)-(Predicate<Self>)`` selects by a predicate. An object for which that throws is not selected.
  @available(*, unavailable, renamed: "where(_:)")
  public static func filter(_ predicate: Predicate<Self>) -> Query<Self> { all }

  /// All objects ordered by a property.
  public static func sorted<Value: Comparable & Sendable>(
    by keyPath: KeyPath<Row<Self>, Expr<Value>>, _ order: SortDirection = .ascending
  ) -> Query<Self> {
    all.sorted(by: keyPath, order)
  }

  /// All objects ordered by an optional property: nil first ascending, last descending.
  ///
  /// To sort nil last in ascending order, give it a value: `Todo.all.sorted { $0.due ?? .distantFuture }`.
  public static func sorted<Value: Comparable & Sendable>(
    by keyPath: KeyPath<Row<Self>, Expr<Value?>>, _ order: SortDirection = .ascending
  ) -> Query<Self> {
    all.sorted(by: keyPath, order)
  }
}
