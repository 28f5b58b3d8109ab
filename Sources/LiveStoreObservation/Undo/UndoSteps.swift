import LiveStore

/// What is undone at once.
struct UndoStep: Sendable {
  let number: UInt64
  var name: String?
  var edits: RecordedEdits
}

/// The steps of an undo stack and how they come and go: a plain value.
///
/// What is dropped is returned, to be freed outside the lock, since that may run code of the user's.
struct UndoSteps: Sendable {
  enum Direction: Sendable {
    case undo, redo
  }

  /// What observers are told of.
  struct Summary: Equatable, Sendable {
    var canUndo = false
    var canRedo = false
    var undoName: String?
    var redoName: String?
  }

  /// Oldest first.
  private(set) var undo: [UndoStep] = []
  /// The one undone last is last; each as what does it once more.
  private(set) var redo: [UndoStep] = []
  /// Objects in all steps.
  private(set) var objectCount = 0
  private let maximumSteps: Int
  private let maximumObjects: Int

  private var openGroups = 0
  /// How often all groups were ended at once: what was begun before is not ended again.
  private(set) var groupEra: UInt64 = 0
  private var groupName: String?
  /// The step that the open groups write to, once they have written.
  private var groupStep: UInt64?
  private var lastNumber: UInt64 = 0
  private let merging: Duration
  /// The newest step as long as commits may be merged with it: what it edits, and when it last did.
  private var open: (edit: PropertyEdit, time: ContinuousClock.Instant)?

  /// - Parameter merging: within which time commits that edit one property of one object are one step.
  init(maximumSteps: Int, maximumObjects: Int, merging: Duration = .zero) {
    self.maximumSteps = maximumSteps
    self.maximumObjects = maximumObjects
    self.merging = merging
  }

  var summary: Summary {
    Summary(
      canUndo: !undo.isEmpty, canRedo: !redo.isEmpty, undoName: undo.last?.name, redoName: redo.last?.name)
  }

  /// Adds a commit: to the step of the open group, to the one before where both edit one property, or as a step.
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
      // All that the group did was undone by what it did later.
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

  /// Whether the newest step goes on with an edit.
  private func isOpen(for edit: PropertyEdit?, at time: ContinuousClock.Instant) -> Bool {
    guard let edit, let open else { return false }
    return open.edit.isContinued(by: edit) && open.time.duration(to: time) < merging
  }

  /// Drops the oldest steps beyond the limits; the newest is kept however many objects it has.
  private mutating func trim() -> [any Sendable] {
    var count = 0
    while undo.count - count > maximumSteps || (objectCount > maximumObjects && undo.count - count > 1) {
      objectCount -= undo[count].edits.count
      count += 1
    }
    defer { undo.removeFirst(count) }
    return Array(undo.prefix(count))
  }

  /// The newest step takes no more commits.
  private mutating func closeOpen() -> [any Sendable] {
    defer { open = nil }
    return open.map { [$0.edit] } ?? []
  }

  mutating func beginGroup(_ name: String?) -> [any Sendable] {
    openGroups += 1
    groupName = groupName ?? name
    return closeOpen()
  }

  /// Ends a group of an era; the last one to end closes the step.
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

  /// Drops the step to take back next. Ends all groups.
  mutating func forget(_ direction: Direction) -> [any Sendable] {
    let (step, dropped) = begin(direction)
    guard let step else { return dropped }
    if direction == .undo { undo.removeLast() } else { redo.removeLast() }
    objectCount -= step.edits.count
    return dropped + [step]
  }

  /// The step to take back next. Ends all groups.
  mutating func begin(_ direction: Direction) -> (step: UndoStep?, dropped: [any Sendable]) {
    endGroups()
    return (direction == .undo ? undo.last : redo.last, closeOpen())
  }

  /// Puts what was done in place of the step that was taken back, on the other side. Nothing is put where nothing
  /// was done, or where the step was cleared away meanwhile.
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
