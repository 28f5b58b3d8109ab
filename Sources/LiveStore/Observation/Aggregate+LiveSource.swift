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
