/// Brings one query over its pending steps: a value, which is changed outside the registry's lock.
struct UpkeepWork: Sendable {
  private(set) var trees: MaintainedTrees
  let steps: [PendingStep]
  /// Whether to stop where rows are found not to lead to the query by their values, so that it is asked about all from there
  /// on (L8).
  private let stopsIfUnroutable: Bool
  var observers: [ExcludingObserver] = []
  /// How many steps were run. The others are done later if the query was found not to be routable.
  private var stepsRun = 0
  /// The writers of the steps in which the result changed.
  private(set) var writers: [ObjectIdentifier?] = []
  /// The last state in which the result was as before.
  private(set) var lastUnchanged: StoreState
  private(set) var rebuilds = 0
  private(set) var rows = 0
  /// How many rows of the result changed.
  private(set) var rowsChanged = 0
  /// Whether it ended early, since nothing waited for it; then it has no result.
  private(set) var isAbandoned = false
  /// Superseded values, to be freed outside all locks.
  private var superseded: [any Sendable] = []

  /// - Parameter steps: at least one.
  init(_ trees: MaintainedTrees, over steps: [PendingStep], stopsIfUnroutable: Bool) {
    self.trees = trees
    self.steps = steps
    self.stopsIfUnroutable = stopsIfUnroutable
    lastUnchanged = steps[0].old
  }

  var isChanged: Bool { !writers.isEmpty }
  /// The state in which the trees are the result.
  var state: StoreState { steps[stepsRun - 1].new }
  var rest: ArraySlice<PendingStep> { steps[stepsRun...] }

  /// - Parameter isAbandoned: whether nothing waits for the result any more.
  /// - Complexity: O(*k* log *m*) for *k* rows that can matter.
  mutating func run(isAbandoned: @escaping @Sendable () -> Bool) {
    for step in steps {
      let before = trees
      let changes = step.rows == nil || step.isExcluded ? step.allChanges : nil
      if step.isRelevant {
        let found = step.rows ?? changes?.rows(for: before) ?? []
        rows += found.count
        if trees.apply(found, from: step.old, to: step.new, isAbandoned: isAbandoned) { rebuilds += 1 }
        rowsChanged += max(0, trees.rowsChanged - before.rowsChanged)
        if let failure = trees.failure {
          superseded.append(before)
          self.isAbandoned = failure.code == StoreError.cancelled
          return
        }
      }
      let isChanged = step.isRelevant && !trees.isIdentical(to: before)
      if isChanged {
        if writers.isEmpty { lastUnchanged = step.old }
        writers.append(step.record.writer)
        superseded.append(before)
      }
      for index in observers.indices {
        if let baseline = observers[index].baseline { superseded.append(baseline) }
        observers[index].follow(step, changes, from: before, to: trees, isChanged: isChanged)
      }
      stepsRun += 1
      if stopsIfUnroutable, !trees.isRoutable { return }
    }
  }
}
