/// What a query is brought over at once: a commit, or the sum of several.
struct PendingStep: Sendable {
  let old: StoreState
  let new: StoreState
  /// The rows that can matter to the query; nil where they are still to be found.
  let rows: [RowChange]?
  private let changes: StoreChanges?
  /// The origin, where one of the query's observers excludes it.
  let origin: String?
  /// The actor that wrote it, if it has models.
  let writer: ActorID?

  /// Whether it can matter to the query's result; others are there to be checked by their origin.
  let isRelevant: Bool

  /// A step with the rows that are routed to the query; nil if it was not routed to it.
  init(_ changes: StoreChanges, rows: [RowChange]?, origin: String?, writer: ActorID?) {
    self.changes = changes
    isRelevant = rows != nil
    old = changes.old
    new = changes.new
    self.rows = rows ?? []
    self.origin = origin
    self.writer = writer
  }

  /// A step that was not routed to the query, though it may matter to it.
  init(unrouted changes: StoreChanges, origin: String?, writer: ActorID?) {
    self.changes = changes
    isRelevant = true
    old = changes.old
    new = changes.new
    rows = nil
    self.origin = origin
    self.writer = writer
  }

  /// A step between two states, whatever lies between them.
  init(from old: StoreState, to new: StoreState) {
    self.old = old
    self.new = new
    isRelevant = true
    rows = nil
    changes = nil
    origin = nil
    writer = nil
  }

  /// The same step with all rows that may matter, in place of those that were routed.
  var unrouted: PendingStep {
    changes.map { PendingStep(unrouted: $0, origin: origin, writer: writer) } ?? self
  }

  /// All that the commit changed.
  var allChanges: StoreChanges { changes ?? StoreChanges(from: old, to: new) }
}

/// An observer that excludes origins, as upkeep carries it along.
struct ExcludingObserver: Sendable {
  let cursor: UInt64
  let origins: Set<String>
  /// Its own last stage.
  let last: QueryStage
  /// The version through which commits were applied for it.
  let excludedThrough: Version
  /// What it was last given; nil while that is the result itself (E2).
  var baseline: Baseline?
  /// Whether an excluded commit has moved it on.
  var isMoved = false
}

/// Bringing one query over its pending steps: a function of what it holds, run outside the registry's lock.
struct UpkeepWork: Sendable {
  let trees: MaintainedTrees
  let steps: [PendingStep]
  var observers: [ExcludingObserver]

  /// What came of it.
  struct Outcome: Sendable {
    var trees: MaintainedTrees
    /// The state that the trees are the result in.
    var state: StoreState
    var observers: [ExcludingObserver]
    /// Who wrote the steps in which the result changed.
    var writers: [ActorID?] = []
    /// The last state in which the result was as before.
    var lastUnchanged: StoreState
    var rebuilds = 0
    var rows = 0
    /// Steps that were not run, since the query was found not to be routable.
    var rest: [PendingStep] = []
    /// What was superseded on the way, to be freed outside all locks.
    var superseded: [any Sendable] = []

    var isChanged: Bool { !writers.isEmpty }
  }

  /// - Complexity: O(*k* log *m*) for *k* rows that can matter.
  func run() -> Outcome {
    var outcome = Outcome(
      trees: trees, state: steps[steps.count - 1].new, observers: observers, lastUnchanged: steps[0].old)
    for (index, step) in steps.enumerated() {
      let before = outcome.trees
      let changes = step.rows == nil || step.origin != nil ? step.allChanges : nil
      if step.isRelevant {
        let rows = step.rows ?? changes?.rows(for: before) ?? []
        outcome.rows += rows.count
        if outcome.trees.apply(rows, from: step.old, to: step.new) { outcome.rebuilds += 1 }
        if outcome.trees.failures != nil { return outcome }
      }
      let isChanged = step.isRelevant && !outcome.trees.isIdentical(to: before)
      if isChanged {
        if outcome.writers.isEmpty { outcome.lastUnchanged = step.old }
        outcome.writers.append(step.writer)
        outcome.superseded.append(before)
      }
      for place in outcome.observers.indices {
        if let baseline = outcome.observers[place].baseline { outcome.superseded.append(baseline) }
        outcome.observers[place].follow(step, changes, from: before, to: outcome.trees, isChanged: isChanged)
      }
      if trees.isRoutable, !outcome.trees.isRoutable {
        outcome.state = step.new
        outcome.rest = Array(steps[(index + 1)...])
        return outcome
      }
    }
    return outcome
  }
}

/// Upkeep that was run. It is let go of after leaving the query's lock, since freeing what it holds may run code of the
/// user's.
struct FinishedUpkeep {
  let work: UpkeepWork
  let outcome: UpkeepWork.Outcome
  let wakes: Wakes
}

extension ExcludingObserver {
  /// Follows a step, which led from one result to another (E1).
  fileprivate mutating func follow(
    _ step: PendingStep, _ changes: StoreChanges?, from before: MaintainedTrees, to after: MaintainedTrees,
    isChanged: Bool
  ) {
    if let origin = step.origin, origins.contains(origin), step.new.version > excludedThrough, let changes {
      baseline = baseline?.stepping(over: changes, from: before, to: after, last)
      if baseline != nil || isChanged { isMoved = true }
    } else if isChanged, baseline == nil {
      baseline = Baseline(trees: before, state: step.old)
    }
  }
}
