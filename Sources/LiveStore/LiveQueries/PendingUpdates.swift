// Models.
//
// A model (`LiveModel`, the basis of `LiveResults` and its like) keeps the newest value of a source where one
// actor reads it. Its pending updates (`PendingUpdates`) stand between it and its cursor. A change is
// computed in the background and waits there, or the actor computes it at once; the actor takes the pending
// change and publishes it.
//
// - **M1** Only the actor touches a model. The background touches the pending updates, under their mutex, and
//   then hops to the actor, one hop for all pending changes.
// - **M2** The pending updates are one change, from the value last taken. So no change is taken twice or out
//   of order, on whichever thread it was computed, and a slow actor costs the version it shows and no more.
// - **M3** When a write returns, the models of the actor that called it show what was written, whatever the
//   form of the call. The compiler knows the actor (`#isolation`). Synchronous code that is isolated to
//   nothing counts as the main actor's if it runs there, as the actor's executor says; an executor that
//   cannot tell is the system's, which is the main queue, unless a model was made on the main actor off that
//   queue. Within the write lock this costs one look-up in `ModelRegistry`, by which the commit is left in
//   the inbox as a part of its own, with its writer. Once the lock is released, the caller brings the results
//   up to date as any reader does, and its models collect and publish: on their actor, without a hop, and
//   under no lock of this store, since readers may write when they are invalidated. (If a body writes to
//   another store, the other store's models publish within the body's lock.) A store without models pays one
//   atomic load a write, an actor without models one look-up more, other writers and other actors nothing.
// - **M4** A pending change that others wrote in part is published as a change by others: a change always
//   leads from the value shown before to the one shown now.
// - **M5** A model that is given another source keeps its value, and the results behind it maintained, until
//   the first value of the new source arrives. If that source is observed already, such as another window of
//   the same rows, its value is available at once.
// - **M6** A reader is invalidated by the parts it read: an object's id in results, if the change set names
//   it; a key path of an object, if the values at it differ. One event changes everything at once, so it
//   invalidates a reader once. A reader's calls to the model while readers are invalidated are deferred until
//   all are, so no older value is set after a newer one.
// - **M7** A commit of an actor that has models is routed by itself, and for each cursor whose result changed
//   it is recorded whether its own actor wrote all changes since its position (`Cursor.Writers`). So it does
//   not matter which thread makes the pass, or when: an actor's own changes are published without a
//   `lastChange`, changes by others with one.
// - **M8** After a write the actor waits for no model whose query is still evaluated in the background; such
//   a model shows the write when it is loaded. A paused model shows no writes; when it resumes, it publishes
//   all of them as a change.
// - **M9** A model's first read evaluates its queries on the actor if their plans visit no more than 10,000
//   rows together (`ModelSources.visitedRows`): rows tested for a filter, grouped, or sorted by text or
//   several keys (five times), of the whole result, which is maintained whatever the window. That is about 10
//   ms at most. Otherwise the background does, as it does for every later source.

import Synchronization

/// Changes that a ``ModelSubscription`` found and its actor has not taken yet.
///
/// State: `state`, guarded by its mutex, which is held while changes are found. `polling` orders polls of the cursor
/// one after another, each up to the merge of what it found; it may be held for as long as a query is evaluated, so the
/// actor waits for it only where it asked to, and after its own writes if the query is evaluated already.
final class PendingUpdates<Value: Sendable, Change: Sendable>: Sendable {
  private struct State {
    /// The sides that the actor took last, or that another subscription has left there.
    var start: [ResultSide]?
    /// The value that another subscription has left there, until the first is taken.
    var replacedValue: Value?
    var pending: Pending?
    /// How many rows there are without the window, if nothing else differs from the last update taken.
    var total: Int?
    var takenTotal: Int?
    /// The error after which no updates follow, until it is taken.
    var end: StoreError?
    var isEnded = false

    /// The update to deliver.
    var waiting: (version: Version?, isLast: Bool)? {
      pending == nil && total == nil && end == nil
        ? nil : (pending?.sides.first?.state.version, end != nil)
    }
    /// Whether all changes count as written by others.
    var isPaused = false
    /// The updates that these replace, whose results stay maintained (M5).
    var replaced: PendingUpdates?
  }

  private struct Pending {
    let sides: [ResultSide]
    let change: Change?
    let isOwn: Bool
  }

  private let handle: CursorHandle
  private let sources: ModelSources<Value, Change>
  /// Whether the replaced updates, whose sides these have, are of the same sources, as after an error.
  private let isOfSameSources: Bool
  private let polling = Mutex(())
  private let state: Mutex<State>
  /// Whether the first value was taken.
  private let isBegun = Atomic(false)

  init(_ handle: CursorHandle, _ sources: ModelSources<Value, Change>, replacing previous: PendingUpdates?) {
    self.handle = handle
    self.sources = sources
    let replaced = previous.flatMap {
      $0.isBegun.load(ordering: .acquiring) ? $0 : $0.state.withLock { $0.replaced }
    }
    // Updates that have not begun have the sides of the updates that they replaced.
    isOfSameSources =
      previous.map {
        $0.sources.areSame(as: sources) && ($0.isBegun.load(ordering: .acquiring) || $0.isOfSameSources)
      } ?? true
    let (start, value) = previous?.startAndValue ?? (nil, nil)
    state = Mutex(State(start: start, replacedValue: value, replaced: replaced))
  }

  /// The sides and the value taken last.
  private var startAndValue: ([ResultSide]?, Value?) {
    state.withLock { state in
      (state.start, isBegun.load(ordering: .acquiring) ? state.start.map(sources.value) : state.replacedValue)
    }
  }

  /// Finds changes, unless an update waits already; nil if there are none.
  func find() -> (version: Version?, isLast: Bool)? {
    let waiting = state.withLock { $0.waiting }
    if waiting == nil { collect() }
    return waiting ?? state.withLock { $0.waiting }
  }

  /// Finds changes and merges them with the update that waits already (M4).
  ///
  /// - Parameter evaluates: whether to evaluate queries that are not maintained yet.
  func collect(evaluates: Bool = true) {
    let dropped = polling.withLock { _ in poll(evaluates: evaluates) }
    withExtendedLifetime(dropped) {}
  }

  /// Finds changes of a query that is evaluated already. Another would be waited for (M8).
  func collectEvaluated() {
    if state.withLock({ isBegun.load(ordering: .acquiring) || $0.pending != nil }) { collect() }
  }

  /// All changes until ``resume()`` count as written by others.
  func pause() { state.withLock { $0.isPaused = true } }

  /// Changes from here on count as written by their writers, unless they are merged with a waiting update.
  func resume() {
    guard state.withLock({ $0.isPaused }) else { return }
    collectEvaluated()
    state.withLock { if $0.pending == nil { $0.isPaused = false } }
  }

  /// The waiting update, as one change from the value taken before (M2).
  func take() -> ModelSubscription<Value, Change>.Taken {
    let (taken, freed) = state.withLock { state in take(from: &state) }
    // Freeing them may run user code.
    withExtendedLifetime(freed) {}
    return taken
  }

  private func take(from state: inout State) -> (
    ModelSubscription<Value, Change>.Taken, freed: [any Sendable]
  ) {
    if let pending = state.pending {
      let freed: [any Sendable] = [state.start, state.replaced, state.replacedValue]
      state.start = pending.sides
      state.replacedValue = nil
      state.pending = nil
      state.total = nil
      state.takenTotal = sources.total?(pending.sides)
      state.isPaused = false
      state.replaced = nil
      isBegun.store(true, ordering: .releasing)
      let update = ModelSubscription<Value, Change>.Update(
        value: sources.value(pending.sides), version: pending.sides.first?.version ?? .zero,
        change: pending.change, isOwn: pending.isOwn, total: state.takenTotal)
      return (.update(update), freed)
    }
    if let total = state.total.take() {
      state.takenTotal = total
      return (.total(total), [])
    }
    guard let end = state.end.take() else { return (.none, []) }
    let freed: [any Sendable] = [state.replaced]
    state.replaced = nil
    return (.failed(end), freed)
  }

  /// To be called by one thread at a time.
  ///
  /// - Returns: the replaced values, to be freed outside the mutexes, since freeing may run user code.
  private func poll(evaluates: Bool = true) -> [any Sendable] {
    let result = handle.poll(evaluates: evaluates)
    let isRecording = handle.engine.isRecording
    let (replaced, change) = state.withLock { state -> ([any Sendable], Change?) in
      let replaced: [any Sendable] = [state.start, state.pending?.sides, state.pending?.change]
      merge(result, &state)
      return (replaced, isRecording ? state.pending?.change : nil)
    }
    if isRecording {
      // What a model is given is the change that waits for it, over all steps so far (M2).
      handle.engine.record(result.map { _ in change }, of: handle.subscriber)
    }
    return replaced
  }

  private func merge(_ result: PollResult<CursorStep>, _ state: inout State) {
    let step: CursorStep
    switch result {
    case .none, .skipped: return
    case .failed(let error):
      state.end = error
      state.isEnded = true
      return
    case .ended:
      if !state.isEnded { state.end = .storeClosed() }
      state.isEnded = true
      return
    case .event(let newest, _): step = newest
    }
    let sides = step.new
    let isOwn = step.isOwn && !state.isPaused && state.pending?.isOwn ?? true
    let change: Change? =
      if !isOfSameSources, let value = state.replacedValue, let firstChange = sources.firstChange {
        firstChange(value, sides)
      } else {
        state.start.flatMap { sources.change($0, sides) }
      }
    if change == nil && state.start != nil && isBegun.load(ordering: .acquiring) {
      // The value is the same as when last taken.
      state.pending = nil
      state.start = sides
      let total = sources.total?(sides)
      state.total = total == state.takenTotal ? nil : total
    } else {
      state.pending = Pending(sides: sides, change: change, isOwn: isOwn)
    }
  }
}
