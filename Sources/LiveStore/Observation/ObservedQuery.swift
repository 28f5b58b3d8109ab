/// A query as the engine knows it: without its types.
struct ObservedQuery: Sendable {
  let type: any Entity.Type
  let stages: [QueryStage]
  var grouping: Grouping?

  var last: QueryStage { stages[stages.count - 1] }
}
