/// The key of the one group that all rows are in.
struct Everything: Hashable, Sendable {}

extension Aggregate: LiveSource {
  /// The value, and its changes.
  public var liveDefinition: LiveDefinition<Value, ValueChange<Value>> {
    let plan = kind.plan(query, by: nil, whole: Everything())
    let empty = empty
    let value: @Sendable (ResultSide) -> Value = { side in
      if side.window.count == 0 { return empty }
      // Rows of this table are groups of everything.
      return side.object(at: 0).object(as: ResultGroup<Everything, Value>.self).pointee.value
    }
    return LiveDefinition(
      query: ObservedQuery(type: Element.self, stages: plan.stages, grouping: plan.grouping),
      value: value, initial: { .initial($0) },
      change: { old, new in
        let (before, after) = (value(old), value(new))
        return isSameValue(before, after) ? nil : .change(old: before, new: after)
      },
      unchanged: { .change(old: value($0), new: value($0)) }, failure: { .error($0) })
  }
}

extension GroupAggregate: LiveSource {
  /// Groups, and change sets between them.
  public var liveDefinition:
    LiveDefinition<Results<ResultGroup<Key, Value>>, CollectionChange<ResultGroup<Key, Value>>>
  {
    let plan = kind.plan(groups.query, by: groups.key, whole: nil)
    return .results(ObservedQuery(type: Element.self, stages: plan.stages, grouping: plan.grouping))
  }
}

extension LiveDefinition {
  /// Results and change sets of a window's rows.
  static func results<Row: Entity>(
    _ query: ObservedQuery, isModified: DifferenceTest? = nil, accumulates: Bool = false
  ) -> LiveDefinition where Value == Results<Row>, Change == CollectionChange<Row> {
    let results: @Sendable (ResultSide) -> Results<Row> = {
      Results(state: $0.state, window: $0.window, version: $0.version)
    }
    return LiveDefinition(
      query: query, value: results, initial: { .initial($0) },
      change: { old, new in
        let changes = ChangeSet(from: results(old), to: results(new), isModified: isModified)
        return changes.isEmpty ? nil : .update(changes.current, changes)
      },
      unchanged: { .update(results($0), ChangeSet(from: results($0), to: results($0))) },
      failure: { .error($0) }, accumulates: accumulates)
  }
}
