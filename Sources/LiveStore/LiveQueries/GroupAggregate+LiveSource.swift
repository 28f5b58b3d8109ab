extension GroupAggregate: LiveSource {
  /// Groups, and change sets between them.
  public var liveDefinition:
    LiveDefinition<Results<ResultGroup<Key, Value>>, CollectionChange<ResultGroup<Key, Value>>>
  {
    let plan = kind.plan(groups.query, by: .value(groups.key))
    return .results(ObservedQuery(type: Element.self, stages: plan.stages, grouping: plan.grouping))
  }
}
