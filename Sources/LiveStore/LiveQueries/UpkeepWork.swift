/// Brings one query over its pending steps: a function of its properties, run outside the registry's lock.
struct UpkeepWork: Sendable {
  let trees: MaintainedTrees
  let steps: [PendingStep]
  var observers: [ExcludingObserver]

  struct Outcome: Sendable {
    var trees: MaintainedTrees
    /// The state in which the trees are the result.
    var state: StoreState
    var observers: [ExcludingObserver]
    /// The writers of the steps in which the result changed.
    var writers: [ActorID?] = []
    /// The last state in which the result was as before.
    var lastUnchanged: StoreState
    var rebuilds = 0
    var rows = 0
    /// Steps that were not run, since the query was found not to be routable.
    var rest: [PendingStep] = []
    /// Whether it ended early, since nothing waited for it; then it has no result.
    var isAbandoned = false
    /// Superseded values, to be freed outside all locks.
    var superseded: [any Sendable] = []

    var isChanged: Bool { !writers.isEmpty }
  }

  /// - Parameter isAbandoned: whether nothing waits for the result any more.
  /// - Complexity: O(*k* log *m*) for *k* rows that can matter.
  func run(isAbandoned: @escaping @Sendable () -> Bool) -> Outcome {
    var outcome = Outcome(
      trees: trees, state: steps[steps.count - 1].new, observers: observers, lastUnchanged: steps[0].old)
    for (number, step) in steps.enumerated() {
      let before = outcome.trees
      let changes = step.rows == nil || step.origin != nil ? step.allChanges : nil
      if step.isRelevant {
        let rows = step.rows ?? changes?.rows(for: before) ?? []
        outcome.rows += rows.count
        if outcome.trees.apply(rows, from: step.old, to: step.new, isAbandoned: isAbandoned) {
          outcome.rebuilds += 1
        }
        if let failure = outcome.trees.failure {
          outcome.isAbandoned = failure.code == StoreError.cancelled
          return outcome
        }
      }
      let isChanged = step.isRelevant && !outcome.trees.isIdentical(to: before)
      if isChanged {
        if outcome.writers.isEmpty { outcome.lastUnchanged = step.old }
        outcome.writers.append(step.writer)
        outcome.superseded.append(before)
      }
      for index in outcome.observers.indices {
        if let baseline = outcome.observers[index].baseline { outcome.superseded.append(baseline) }
        outcome.observers[index].follow(step, changes, from: before, to: outcome.trees, isChanged: isChanged)
      }
      if trees.isRoutable, !outcome.trees.isRoutable {
        outcome.state = step.new
        outcome.rest = Array(steps[(number + 1)...])
        return outcome
      }
    }
    return outcome
  }
}
