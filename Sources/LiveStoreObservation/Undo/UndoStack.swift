public import LiveStore
public import Observation
import Synchronization

/// Undo and redo over what is written to a store: by one origin, by several, or by all.
///
/// ```swift
/// let undoStack = UndoStack(store)
/// try await undoStack.group("Rename Note") {
///   try await store.write(origin: "ui") { tx in try tx.update(Note.self, id) { $0.title = title } }
/// }
/// let title = undoStack.undoName.map { "Undo \($0)" } ?? "Undo"   // of a menu item, enabled by `canUndo`
/// try await undoStack.undo()                                      // one commit, by "ui.undo"
/// ```
/// Each commit that is recorded (``UndoRecording``) is a step, or part of the step of an open group. It is recorded
/// before its `write` returns, so none is missed, however fast they come. Commits that edit the same property of the
/// same object within a while are one step, so that typing in a text field that is bound to the store is not undone
/// letter by letter. A form is better bound to a draft, ``EditableCopy``, which is one commit.
///
/// Undoing a step is one commit, which takes back what the step did to each object: what was inserted goes, what was
/// deleted stands where it stood, edited properties have the values they had, and so has what delete rules edited.
/// Nothing else is written, and no rule runs again.
///
/// What others write is never undone and never overwritten. They may have changed other properties of an object that the
/// step edited: these stay, and those that the step edited go back. An object stays as it is, whole, where others have
/// changed a property that the step edited, have changed or link to what it inserted, or have deleted the object. The
/// rest of the step is undone, and the ``UndoReport`` names the objects that stayed, and why. These are then out of the
/// step: redoing it does what undoing it had undone, and no more.
///
/// A redo is an undo of the undo, and all of this holds for it. Undo and redo give back exactly the same state when
/// no other writer has written. A new step empties what could be redone. A property that the schema ignores goes back
/// with its object if the step edited it and no other writer has since, and else stays as it is. A property of an
/// entity whose schema lists none (`DynamicEntity`), or one that is no `var`, cannot be set by itself: then
/// any change by others leaves the object as it is.
///
/// A stack is used from any thread and task. What it tells is up to date as soon as a write has returned;
/// observers are told of it on the main actor soon after, and of what the stack's own methods do before these
/// return, where they were called.
///
/// State: `state` holds the steps, guarded by its mutex, under which no user code runs but `==`, `hash(into:)` and
/// properties. Steps are recorded and taken back under the write lock, so none comes between judging and writing.
public final class UndoStack: Observable, Sendable {
  private struct State {
    var steps: UndoSteps
    /// Whether observers have yet to be told of something.
    var isNews = false
  }

  /// Which commits are steps.
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
  ///   - origin: whose commits are steps, as given to `write(origin:)`. Edits through models are by `"ui"`, unless
  ///     they are given another origin.
  ///   - maximumSteps: how many steps can be undone; the oldest are forgotten.
  ///   - maximumObjects: how many objects all steps may hold together; the oldest steps are forgotten, the
  ///     newest never.
  ///   - merging: within which time commits that edit the same property of the same object are one step, each counted
  ///     from the one before; zero for never.
  public convenience init(
    _ store: Store, origin: String = "ui", maximumSteps: Int = 100, maximumObjects: Int = 100_000,
    merging: Duration = .seconds(1)
  ) {
    self.init(
      store, recording: .origins([origin]), maximumSteps: maximumSteps, maximumObjects: maximumObjects,
      merging: merging)
  }

  /// Makes a stack that records what is written from now on, by whom it is asked to.
  ///
  /// ```swift
  /// let undoStack = UndoStack(store, recording: .everything(except: ["sync"]))
  /// ```
  /// - Parameters:
  ///   - store: the store written to.
  ///   - recording: which commits are steps.
  ///   - maximumSteps: how many steps can be undone; the oldest are forgotten.
  ///   - maximumObjects: how many objects all steps may hold together; the oldest steps are forgotten, the
  ///     newest never.
  ///   - merging: within which time commits that edit the same property of the same object are one step, each counted
  ///     from the one before; zero for never.
  public convenience init(
    _ store: Store, recording: UndoRecording, maximumSteps: Int = 100, maximumObjects: Int = 100_000,
    merging: Duration = .seconds(1)
  ) {
    self.init(
      store, recording, maximumSteps: maximumSteps, maximumObjects: maximumObjects, merging: merging,
      now: { ContinuousClock.now })
  }

  /// - Parameter now: tells the time of a commit.
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
    let recorder = CommitRecorder(store) { [weak self] record in self?.note(record) }
    self.recorder.withLock { $0 = recorder }
    #if DEBUG
      LiveCounts.add(.undoStacks)
    #endif
  }

  #if DEBUG
    deinit { LiveCounts.remove(.undoStacks) }
  #endif

  /// The origin of this stack's undos and redos, by which observers can leave these commits out: the recorded origin
  /// with `.undo` behind it, or `"undo"` for a stack that records several. They are never recorded.
  ///
  /// A name of its own, since who leaves out the origin, knowing what it writes, must hear of what is undone.
  public var undoOrigin: String { recording.undoOrigin }

  /// Whether there is a step to undo. Observable.
  public var canUndo: Bool { observed.canUndo }
  /// Whether there is a step to redo. Observable.
  public var canRedo: Bool { observed.canRedo }
  /// The name of the step that `undo()` takes back, if it has one. Observable.
  public var undoName: String? { observed.undoName }
  /// The name of the step that `redo()` does again, if it has one. Observable.
  public var redoName: String? { observed.redoName }

  /// How many steps there are to undo and to redo. Not observable.
  public var stepCount: Int { state.withLock { $0.steps.undo.count + $0.steps.redo.count } }
  /// How many objects these hold: each as it was before its step and after it. Not observable.
  public var objectCount: Int { state.withLock { $0.steps.objectCount } }

  /// Forgets all steps. What an open group writes from now on is a step of its own.
  public func clear() {
    change { $0.clear() }
    announce()
  }

  /// Forgets the step that `undo()` would take back, so that the one before it can be: for a step that cannot be, since
  /// `undo()` throws whenever it is asked. Without a step it does nothing. Ends all open groups.
  ///
  /// ```swift
  /// do { try undoStack.undo() } catch { undoStack.forgetUndo() }
  /// ```
  public func forgetUndo() {
    change { $0.forget(.undo) }
    announce()
  }

  /// Forgets the step that `redo()` would do again; as ``forgetUndo()``.
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
  /// Takes note of a commit; called within its writer's turn.
  private func note(_ record: CommitRecord) {
    guard recording.includes(record.origin) else { return }
    let (edits, time) = (RecordedEdits(record), now())
    if change({ $0.record(edits, at: time) }) { Task { @MainActor [weak self] in self?.announce() } }
  }

  /// Edits the steps and frees what is dropped; whether observers must be told who need not be before.
  @discardableResult
  func change(_ edit: (inout UndoSteps) -> [any Sendable]) -> Bool {
    let (dropped, isNews) = state.withLock { state in
      let (before, wasNews) = (state.steps.summary, state.isNews)
      let dropped = edit(&state.steps)
      if state.steps.summary != before { state.isNews = true }
      return (dropped, state.isNews && !wasNews)
    }
    withExtendedLifetime(dropped) {}
    return isNews
  }

  /// The step to take back next.
  func begin(_ direction: UndoSteps.Direction) -> UndoStep? {
    let (step, dropped) = state.withLock { $0.steps.begin(direction) }
    withExtendedLifetime(dropped) {}
    return step
  }

  /// Tells observers, if there is something to tell: after the fact, so that whoever looks again sees it.
  func announce() {
    let isNews = state.withLock { state in
      defer { state.isNews = false }
      return state.isNews
    }
    if isNews { registrar.withMutation(of: self, keyPath: \.observed) {} }
  }
}
