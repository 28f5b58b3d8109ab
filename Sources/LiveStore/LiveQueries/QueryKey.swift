/// What identifies a maintained result: equal queries share one, whatever the window of their last stage.
struct QueryKey: Hashable, Sendable {
  let table: Int
  let stages: [QueryStage]
  let grouping: Grouping?

  init(_ table: Int, _ stages: [QueryStage], _ grouping: Grouping? = nil) {
    self.table = table
    self.grouping = grouping
    var stages = stages
    // Rows are grouped within the window, so there it makes a difference.
    if grouping == nil {
      stages[stages.count - 1].offset = 0
      stages[stages.count - 1].limit = nil
      stages[stages.count - 1].hasWindow = false
    }
    self.stages = stages
  }
}
