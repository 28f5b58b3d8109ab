/// An observer that excludes origins, as upkeep updates it.
struct ExcludingObserver: Sendable {
  let cursor: UInt64
  let origins: Set<String>
  /// Its own last stage.
  let last: QueryStage
  /// The version through which commits were applied for it.
  let excludedThrough: Version
  /// The rows last delivered to it; nil while they are the result itself (E2).
  var baseline: MaintainedResult?
  /// Whether an excluded commit has moved the observer.
  var isMoved = false
}

extension ExcludingObserver {
  /// Follows a step from one result to another (E1).
  mutating func follow(
    _ step: PendingStep, _ changes: StoreChanges?, from before: MaintainedTrees, to after: MaintainedTrees,
    isChanged: Bool
  ) {
    if step.isExcluded, let origin = step.record.origin, origins.contains(origin),
      step.new.version > excludedThrough, let changes
    {
      baseline = baseline?.stepping(over: changes, from: before, to: after, last)
      if baseline != nil || isChanged { isMoved = true }
    } else if isChanged, baseline == nil {
      baseline = MaintainedResult(trees: before, state: step.old)
    }
  }
}
