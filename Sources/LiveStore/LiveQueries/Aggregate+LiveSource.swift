extension Aggregate: LiveSource {
  /// The value, and its changes.
  public var liveDefinition: LiveDefinition<Value, ValueChange<Value>> {
    let plan = kind.plan(query, by: .constant(AllRows()))
    let empty = empty
    let value: @Sendable (ResultSide) -> Value = { side in
      if side.window.count == 0 { return empty }
      // The row of this table is the group of all rows.
      return side.object(at: 0).object(as: ResultGroup<AllRows, Value>.self).pointee.value
    }
    return LiveDefinition(
      query: ObservedQuery(type: Element.self, stages: plan.stages, grouping: plan.grouping),
      value: value, initial: { .initial($0) },
      change: { old, new in
        let (before, after) = (value(old), value(new))
        return isSameValue(before, after) ? nil : .change(old: before, new: after)
      },
      unchanged: { .change(old: value($0), new: value($0)) }, failure: { .error($0) },
      direct: { self.value(in: $0) },
      firstChange: { before, side in
        let after = value(side)
        return isSameValue(before, after) ? nil : .change(old: before, new: after)
      })
  }
}
