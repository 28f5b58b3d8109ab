extension SectionedQuery: LiveSource {
  /// Sections, and change sets between them.
  public var liveDefinition: LiveDefinition<SectionedResults<Element, Key>, SectionedChange<Element, Key>> {
    let (key, included) = (key, included)
    let grouping = Grouping(form: Grouping.Form(key: key.path, kind: .sections, value: nil), named: []) {
      let count = AggregateFunction<Int>.sums(.none, value: { $0.rows })
      return GroupTable(GroupRule<Key, Int>(.value(key), count))
    }
    let linked = stages.named
    let sections: @Sendable (ResultSide) -> SectionedResults<Element, Key> = {
      SectionedResults($0, key, linked, included: included)
    }
    return LiveDefinition(
      query: ObservedQuery(type: Element.self, stages: stages, grouping: grouping),
      value: sections, initial: { .initial($0) },
      change: { old, new in
        let changes = SectionedChangeSet(from: sections(old), to: sections(new))
        return changes.isEmpty ? nil : .update(changes.current, changes)
      },
      unchanged: { .update(sections($0), SectionedChangeSet(from: sections($0), to: sections($0))) },
      failure: { .error($0) },
      firstChange: { old, new in
        let changes = SectionedChangeSet(from: old, to: sections(new))
        return changes.isEmpty ? nil : .update(changes.current, changes)
      })
  }

  /// The query's stages with the rows ordered by section first.
  private var stages: [QueryStage] {
    let own = query.stages[query.stages.count - 1].order.keys
    return query.stages(groupedIn: [[key.sortKey] + own])
  }
}
