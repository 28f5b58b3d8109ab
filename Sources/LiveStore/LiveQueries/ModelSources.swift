import Synchronization

private let sourcesMade = Atomic<UInt64>(0)

/// One or several sources as one cursor follows them.
package struct ModelSources<Value: Sendable, Change: Sendable>: Sendable {
  private(set) var queries: [ObservedQuery]

  /// Unique to these sources, whatever others observe.
  private let identity = sourcesMade.wrappingAdd(1, ordering: .relaxed).newValue

  /// Whether both are the same sources, so that these have read the other's sides.
  func areSame(as other: ModelSources) -> Bool { identity == other.identity }

  let value: @Sendable ([ResultSide]) -> Value
  /// Nil if the difference is no event for an observer.
  let change: @Sendable (_ old: [ResultSide], _ new: [ResultSide]) -> Change?
  /// The change from a value of another source to the first sides; for sources that read sides in their own
  /// way: the sides of another source may have rows of other types.
  private(set) var firstChange: (@Sendable (_ old: Value, _ new: [ResultSide]) -> Change?)?
  /// How many rows there would be without the window; for sources that have one.
  private(set) var total: (@Sendable ([ResultSide]) -> Int)?

  /// One source.
  package init(_ source: some LiveSource<Value, Change>) {
    let definition = source.liveDefinition
    queries = [definition.query]
    value = { definition.value($0[0]) }
    change = { definition.change($0[0], $1[0]) }
    if let first = definition.firstChange { firstChange = { old, new in first(old, new[0]) } }
  }

  /// A query, and how many rows it has without its window.
  package init<Element>(paging query: Query<Element>)
  where Value == Results<Element>, Change == CollectionChange<Element> {
    self.init(query, countedBy: query)
  }

  /// The rows of a query in sections, and how many there are without the query's window.
  package init<Element, Key>(paging query: SectionedQuery<Element, Key>)
  where Value == SectionedResults<Element, Key>, Change == SectionedChange<Element, Key> {
    self.init(query, countedBy: query.query)
  }

  private init<Element>(_ source: some LiveSource<Value, Change>, countedBy query: Query<Element>) {
    self.init(source)
    total = { $0[0].window.count }
    if query.offset == 0 && query.limit == nil { return }
    let count = query.window(offset: 0, limit: nil).count.liveDefinition
    queries.append(count.query)
    total = { count.value($0[1]) }
  }

  /// Several sources.
  package init<First: LiveSource, Second: LiveSource, each Other: LiveSource>(
    _ first: First, _ second: Second, _ others: repeat each Other
  )
  where
    Value == (First.Value, Second.Value, repeat (each Other).Value),
    Change == SourcesChange<
      (First.Value, Second.Value, repeat (each Other).Value),
      (First.Change, Second.Change, repeat (each Other).Change)
    >
  {
    let (one, two) = (first.liveDefinition, second.liveDefinition)
    let rest = (repeat (each others).liveDefinition)
    var queries = [one.query, two.query]
    for member in repeat each rest { queries.append(member.query) }
    self.queries = queries
    value = { sides in
      var sides = sides[...]
      func value<V, C>(_ member: LiveDefinition<V, C>) -> V { member.value(sides.removeFirst()) }
      return (value(one), value(two), repeat value(each rest))
    }
    change = { old, new in
      var sides = zip(old, new).map { (old: $0, new: $1) }[...]
      var isChanged = false
      func change<V, C>(_ member: LiveDefinition<V, C>) -> C {
        let side = sides.removeFirst()
        guard let change = member.change(side.old, side.new) else { return member.unchanged(side.new) }
        isChanged = true
        return change
      }
      let changes = (change(one), change(two), repeat change(each rest))
      return isChanged ? .update(changes) : nil
    }
  }
}

extension ModelSources where Change == Value {
  /// One source, for its values only.
  package init<Source: LiveSource>(valuesOf source: Source) where Source.Value == Value {
    let definition = source.liveDefinition
    queries = [definition.query]
    value = { definition.value($0[0]) }
    change = { old, new in definition.change(old[0], new[0]).map { _ in definition.value(new[0]) } }
    firstChange = { _, new in definition.value(new[0]) }
  }
}
