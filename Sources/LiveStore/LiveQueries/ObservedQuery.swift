/// A query as the engine knows it: without its types.
package struct ObservedQuery: Sendable {
  let type: any Entity.Type
  package let stages: [QueryStage]
  package var grouping: Grouping?

  package init(type: any Entity.Type, stages: [QueryStage], grouping: Grouping? = nil) {
    self.type = type
    self.stages = stages
    self.grouping = grouping
  }

  package var last: QueryStage { stages[stages.count - 1] }
}
