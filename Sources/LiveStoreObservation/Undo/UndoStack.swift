public import LiveStore
public import Observation
import Synchronization

/// Undo and redo of the commits of a store: of one origin, of several, or of all.
///
/// ```swift
/// let undoStack = UndoStack(store)
/// try await undoStack.group("Rename Note") {
///   try await store.write(origin: "ui") { tx in try tx.update(Note.self, id) { $0.title = title } }
/// }
/// let title = undoStack.undoName.map { "Undo \($0)" } ?? "Undo"   // of a menu item, enabled by `canUndo`
/// try await undoStack.undo()                                      // one commit, by "ui.undo"
/// ```
/// Each recorded commit (``UndoRecording``) is a step, or part of the step of an open group. It is recorded before
/// its `write` returns, so none is missed. With `merging: .seconds(1)`, commits that edit the same property of the same
/// object within a second are one step, so that typing in a text field bound to the store is not undone letter by letter.
/// Bind a form to a draft instead, an ``EditableCopy``, which is one commit.
///
/// Undoing a step is one commit, which reverts what the step did to each object: inserted objects are deleted,
/// deleted ones are restored in their place, edited properties get their old values, including what delete rules
/// edited. Nothing else is written, and no rule runs again.
///
/// What other writers wrote is never undone and never overwritten, as far as values tell: a property that they changed and
/// changed back counts as unchanged, and is reverted with the step. If they changed other properties of an object that
/// the step edited, those stay, and the properties that the step edited are reverted. An object stays unchanged as a
/// whole if other writers have changed a property that the step edited, have changed or link to an object that it
/// inserted, or have deleted the object. The rest of the step is undone, and the ``UndoReport`` names the objects
/// that stayed, with the reason. They are then no longer part of the step: redoing it restores what the undo
/// reverted, and no more.
///
/// A redo is an undo of the undo, and all of this applies to it. Undo and redo restore exactly the same state if no
/// other writer has written. A new step clears what could be redone. An ignored property is reverted with its object
/// if the step edited it and no other writer has since; otherwise it stays as it is. A property of an entity whose
/// schema lists none (`DynamicEntity`), or one that is no `var`, cannot be set by itself: then any change by other
/// writers leaves the object unchanged.
///
/// A stack is used from any thread and task. Its properties are current as soon as a write has returned. Observers
/// are notified on the main actor soon after a write, and by the stack's own methods before these return, on the
/// caller's isolation.
///
/// State: `state` holds the steps, guarded by its mutex, under which no user code runs but `==`, `hash(into:)` and
/// properties. Steps are recorded and undone under the write lock, so no commit comes between check and write.
public final class UndoStack: Observable, Sendable {
  private struct State {
    var steps: UndoSteps
    /// Whether a change has not been announced to observers yet.
    var isAnnouncementPending = false
  }

  /// Which commits are recorded as steps.
  public let recording: UndoRecording
  private let now: @Sendable () -> ContinuousClock.Instant
  let store: Store
  private let state: Mutex<State>
  private let recorder = Mutex<CommitRecorder?>(nil)
  private let registrar = ObservationRegistrar()

  /// Makes a stack that records what an origin writes from now on.
  ///
  /// - Parameters:
  ///   - store: the store written to.
  ///   - origin: the origin of the recorded commits, as given to `write(origin:)`. Edits through models have `"ui"`,
  ///     unless they are given another origin.
  ///   - maximumSteps: how many steps can be undone; the oldest are forgotten.
  ///   - maximumObjects: how many objects all steps may hold together; the oldest steps are forgotten, but never the
  ///     newest.
  ///   - merging: the time within which commits that edit the same property of the same object are one step, counted
  ///     from the previous one, as `.seconds(1)` for typing; zero for never.
  public convenience init(
    _ store: Store, origin: String = "ui", maximumSteps: Int = 100, maximumObjects: Int = 100_000,
    merging: Duration = .zero
  ) {
    self.init(
      store, recording: .origins([origin]), maximumSteps: maximumSteps, maximumObjects: maximumObjects,
      merging: merging)
  }

  /// Makes a stack that records the chosen commits from now on.
  ///
  /// ```swift
  /// let undoStack = UndoStack(store, recording: .everything(except: ["sync"]))
  /// ```
  /// - Parameters:
  ///   - store: the store written to.
  ///   - recording: which commits are recorded as steps.
  ///   - maximumSteps: how many steps can be undone; the oldest are forgotten.
  ///   - maximumObjects: how many objects all steps may hold together; the oldest steps are forgotten, but never the
  ///     newest.
  ///   - merging: the time within which commits that edit the same property of the same object are one step, counted
  ///     from the previous one, as `.seconds(1)` for typing; zero for never.
  public convenience init(
    _ store: Store, recording: UndoRecording, maximumSteps: Int = 100, maximumObjects: Int = 100_000,
    merging: Duration = .zero
  ) {
    self.init(
      store, recording, maximumSteps: maximumSteps, maximumObjects: maximumObjects, merging: merging,
      now: { ContinuousClock.now })
  }

  /// - Parameter now: the clock that times commits.
  package init(
    _ store: Store, _ recording: UndoRecording, maximumSteps: Int = 100, maximumObjects: Int = 100_000,
    merging: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant
  ) {
    self.store = store
    self.recording = recording
    self.now = now
    state = Mutex(
      State(
        steps: UndoSteps(
          maximumSteps: max(0, maximumSteps), maximumObjects: max(0, maximumObjects), merging: merging)))
    let recorder = CommitRecorder(store) { [weak self] record in self?.record(record) }
    self.recorder.withLock { $0 = recorder }
    #if DEBUG
      LiveCounts.add(.undoStacks)
    #endif
  }

  #if DEBUG
    deinit { LiveCounts.remove(.undoStacks) }
  #endif

  /// The origin of this stack's undos and redos, by which observers can exclude these commits: the recorded origin
  /// with `.undo` appended, or `"undo"` for a stack that records several. They are never recorded.
  ///
  /// It differs from the recorded origin, since an observer that excludes its own writes must still see what is
  /// undone.
  public var undoOrigin: String { recording.undoOrigin }

  /// Whether there is a step to undo. Observable.
  public var canUndo: Bool { observed.canUndo }
  /// Whether there is a step to redo. Observable.
  public var canRedo: Bool { observed.canRedo }
  /// The name of the step that `undo()` reverts, if it has one. Observable.
  public var undoName: String? { observed.undoName }
  /// The name of the step that `redo()` repeats, if it has one. Observable.
  public var redoName: String? { observed.redoName }

  /// How many steps there are to undo and to redo. Not observable.
  public var stepCount: Int { state.withLock { $0.steps.undo.count + $0.steps.redo.count } }
  /// How many objects these hold: each before and after its step. Not observable.
  public var objectCount: Int { state.withLock { $0.steps.objectCount } }

  /// Forgets all steps. What an open group writes from now on is a new step.
  public func clear() {
    change { $0.clear() }
    announce()
  }

  /// Forgets the step that `undo()` would revert, which makes the step before it available: for a step that cannot be
  /// undone, since `undo()` throws each time. Without a step it does nothing. Ends all open groups.
  ///
  /// ```swift
  /// do { try undoStack.undo() } catch { undoStack.forgetUndo() }
  /// ```
  public func forgetUndo() {
    change { $0.forget(.undo) }
    announce()
  }

  /// Forgets the step that `redo()` would repeat; like ``forgetUndo()``.
  public func forgetRedo() {
    change { $0.forget(.redo) }
    announce()
  }

  private var observed: UndoSteps.Summary {
    registrar.access(self, keyPath: \.observed)
    return state.withLock { $0.steps.summary }
  }
}

// MARK: Recording

extension UndoStack {
  /// Records a commit; called under its writer's write lock.
  private func record(_ record: CommitRecord) {
    guard recording.includes(record.origin) else { return }
    let (edits, time) = (RecordedEdits(record), now())
    if change({ $0.record(edits, at: time) }) { Task { @MainActor [weak self] in self?.announce() } }
  }

  /// Edits the steps and frees what is dropped. Returns whether observers have to be notified, if that was not
  /// pending before.
  @discardableResult
  func change(_ edit: (inout UndoSteps) -> [any Sendable]) -> Bool {
    let (dropped, isAnnouncementPending) = state.withLock { state in
      let (before, wasPending) = (state.steps.summary, state.isAnnouncementPending)
      let dropped = edit(&state.steps)
      if state.steps.summary != before { state.isAnnouncementPending = true }
      return (dropped, state.isAnnouncementPending && !wasPending)
    }
    withExtendedLifetime(dropped) {}
    return isAnnouncementPending
  }

  /// The next step to undo or redo.
  func begin(_ direction: UndoSteps.Direction) -> UndoStep? {
    let (step, dropped) = state.withLock { $0.steps.begin(direction) }
    withExtendedLifetime(dropped) {}
    return step
  }

  /// Notifies observers of a pending change. The steps have changed before, so a reader that reads again sees them.
  func announce() {
    let isAnnouncementPending = state.withLock { state in
      defer { state.isAnnouncementPending = false }
      return state.isAnnouncementPending
    }
    if isAnnouncementPending { registrar.withMutation(of: self, keyPath: \.observed) {} }
  }
}
