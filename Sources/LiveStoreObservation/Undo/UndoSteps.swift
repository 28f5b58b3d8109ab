import LiveStore

/// The steps of an undo stack: a plain value.
///
/// Dropped edits are returned, to be freed outside the lock, since that may run user code.
struct UndoSteps: Sendable {
  enum Direction: Sendable {
    case undo, redo
  }

  /// The part that observers see.
  struct Summary: Equatable, Sendable {
    var canUndo = false
    var canRedo = false
    var undoName: String?
    var redoName: String?
  }

  /// Oldest first.
  private(set) var undo: [UndoStep] = []
  /// The step undone last is last; each step holds the edits that redo it.
  private(set) var redo: [UndoStep] = []
  /// Objects in all steps.
  private(set) var objectCount = 0
  private let maximumSteps: Int
  private let maximumObjects: Int

  private var openGroups = 0
  /// How often all groups were ended at once: a group of an earlier era is not ended again.
  private(set) var groupEra: UInt64 = 0
  private var groupName: String?
  /// The step of the open groups, once they have written.
  private var groupStep: UInt64?
  private var lastNumber: UInt64 = 0
  private let merging: Duration
  /// The newest step while commits may be merged with it: its edit, and the time of the last one.
  private var open: (edit: PropertyEdit, time: ContinuousClock.Instant)?

  /// - Parameter merging: the time within which commits that edit one property of one object are one step.
  init(maximumSteps: Int, maximumObjects: Int, merging: Duration = .zero) {
    self.maximumSteps = maximumSteps
    self.maximumObjects = maximumObjects
    self.merging = merging
  }

  var summary: Summary {
    Summary(
      canUndo: !undo.isEmpty, canRedo: !redo.isEmpty, undoName: undo.last?.name, redoName: redo.last?.name)
  }

  /// Records a commit: in the step of the open group, in the step before if both edit one property, or as a new step.
  mutating func record(_ edits: RecordedEdits, at time: ContinuousClock.Instant) -> [any Sendable] {
    var dropped: [any Sendable] = redo
    objectCount -= redo.reduce(0) { $0 + $1.edits.count }
    redo = []
    let edit = openGroups == 0 && merging > .zero ? edits.propertyEdit : nil
    let isMerged = isOpen(for: edit, at: time)
    dropped += closeOpen()
    open = edit.map { ($0, time) }
    if let last = undo.indices.last, isMerged || (openGroups > 0 && undo[last].number == groupStep) {
      objectCount -= undo[last].edits.count
      dropped += undo[last].edits.append(edits) as [any Sendable]
      objectCount += undo[last].edits.count
      if !isMerged { undo[last].name = groupName }
      // The group has undone everything that it did.
      if undo[last].edits.count == 0 {
        dropped.append(undo.removeLast())
        dropped += closeOpen()
      }
    } else {
      lastNumber += 1
      undo.append(UndoStep(number: lastNumber, name: groupName, edits: edits))
      objectCount += edits.count
      if openGroups > 0 { groupStep = lastNumber }
    }
    return dropped + trim()
  }

  /// Whether an edit continues the newest step (U7).
  private func isOpen(for edit: PropertyEdit?, at time: ContinuousClock.Instant) -> Bool {
    guard let edit, let open else { return false }
    return open.edit.isContinued(by: edit) && open.time.duration(to: time) < merging
  }

  /// Drops the oldest steps beyond the limits; the newest stays, however many objects it has.
  private mutating func trim() -> [any Sendable] {
    var count = 0
    while undo.count - count > maximumSteps || (objectCount > maximumObjects && undo.count - count > 1) {
      objectCount -= undo[count].edits.count
      count += 1
    }
    defer { undo.removeFirst(count) }
    return Array(undo.prefix(count))
  }

  /// Closes the newest step for merging.
  private mutating func closeOpen() -> [any Sendable] {
    defer { open = nil }
    return open.map { [$0.edit] } ?? []
  }

  mutating func beginGroup(_ name: String?) -> [any Sendable] {
    openGroups += 1
    groupName = groupName ?? name
    return closeOpen()
  }

  /// Ends a group of an era; the end of the last one closes the step.
  mutating func endGroup(of era: UInt64) {
    guard era == groupEra, openGroups > 0 else { return }
    if openGroups > 1 { openGroups -= 1 } else { endGroups() }
  }

  private mutating func endGroups() {
    if openGroups > 0 { groupEra += 1 }
    openGroups = 0
    groupName = nil
    groupStep = nil
  }

  mutating func clear() -> [any Sendable] {
    defer {
      undo = []
      redo = []
      objectCount = 0
    }
    return undo + redo + closeOpen()
  }

  /// Drops the next step to undo or redo. Ends all groups.
  mutating func forget(_ direction: Direction) -> [any Sendable] {
    let (step, dropped) = begin(direction)
    guard let step else { return dropped }
    if direction == .undo { undo.removeLast() } else { redo.removeLast() }
    objectCount -= step.edits.count
    return dropped + [step]
  }

  /// The next step to undo or redo. Ends all groups.
  mutating func begin(_ direction: Direction) -> (step: UndoStep?, dropped: [any Sendable]) {
    endGroups()
    return (direction == .undo ? undo.last : redo.last, closeOpen())
  }

  /// Replaces a step by the edits that were written, on the other side. Does nothing if nothing was written, or if
  /// the step was cleared in the meantime.
  mutating func finish(_ step: UndoStep, _ direction: Direction, _ done: RecordedEdits) -> [any Sendable] {
    guard (direction == .undo ? undo.last : redo.last)?.number == step.number else { return [] }
    if direction == .undo { undo.removeLast() } else { redo.removeLast() }
    objectCount += done.count - step.edits.count
    if done.count > 0 {
      let other = UndoStep(number: step.number, name: step.name, edits: done)
      if direction == .undo { redo.append(other) } else { undo.append(other) }
    }
    return [step]
  }
}
