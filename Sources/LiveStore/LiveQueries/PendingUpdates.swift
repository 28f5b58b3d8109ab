// Models.
//
// A model (`LiveModel`, of which `LiveResults` and its like are made) keeps the newest value of a source
// where one actor reads it. Its pending updates (`PendingUpdates`) stand between it and its cursor. A
// change is computed in the background and waits there, or the actor computes it at once; the actor takes
// what waits and publishes it.
//
// - **M1** Only the actor touches a model. The background touches the pending updates, under their mutex,
//   and then hops to the actor, one hop for all that waits.
// - **M2** What waits is one change, from the value that was last taken. So nothing is taken twice or out
//   of order, on whichever thread it was computed, and a slow actor costs the version it shows and no more.
// - **M3** When a write returns, the models of the actor that called it show what it wrote, by whatever
//   call it was written. The compiler knows the actor (`#isolation`); synchronous code that is isolated to
//   nothing is the main actor's where it runs there, as the actor's executor says; one that cannot tell is
//   the system's, which is the main queue, unless a model was made on the main actor off that queue. Within
//   the write lock this costs one look-up in `ModelRegistry`, by which the commit is left in the inbox as a
//   part of its own, with its writer. Once the lock is released, the caller brings the results up to date
//   as any reader does, and its models collect and publish: on their actor, without a hop, and under no
//   lock of this store, since readers may write when they are invalidated. (A body that writes to another
//   store has that one's models publish within its own lock.) A store without models pays one atomic load a
//   write, an actor without models one look-up more, other writers and other actors nothing.
// - **M4** If what waits was written by others in part, it is published as others' change: a change always
//   leads from the value shown before to the one shown now.
// - **M5** A model that is given another source keeps its value, and the results behind it maintained,
//   until the other's is there. What is observed already, such as another window of the same rows, is there
//   at once.
// - **M6** A reader is invalidated by the parts it read: an object's id in results, by what the change set
//   names; a key path of an object, by comparing what was read. One event changes everything at once, so it
//   invalidates a reader once. What a reader does to the model while readers are invalidated is deferred
//   until all are, so nothing older is set after something newer.
// - **M7** A commit of an actor that has models is routed by itself, and for each cursor whose result
//   changed it is recorded whether its own actor wrote all changes since its position (`Cursor.Writers`).
//   So it does not matter which thread makes the pass, or when: what is an actor's own is published without
//   a `lastChange`, what others wrote with one.
// - **M8** After a write the actor waits for no model whose query is still evaluated in the background;
//   that one shows the write when it is loaded. A paused model shows nothing, and when it goes on, it
//   publishes all as a change.
// - **M9** A model's first read evaluates its queries on the actor if their plans visit no more than 10,000
//   rows together (`ModelSources.visitedRows`): rows tested for a filter, grouped, or sorted by text or
//   several keys (five times), of the whole result, since that is what is maintained, whatever the window.
//   That is about 10 ms at most. Otherwise the background does, as it does for every later source.

import Synchronization

/// What a ``ModelSubscription`` found and its actor has not taken yet.
///
/// State: `state`, guarded by its mutex, which is held while changes are found. `polling` orders polls of the cursor
/// one after another, each up to the merge of what it found; it may be held for as long as a query is evaluated, so the
/// actor waits for it only where it asked to, and after its own writes if the query is evaluated already.
final class PendingUpdates<Value: Sendable, Change: Sendable>: Sendable {
  private struct State {
    /// What the actor has taken last, or what another subscription has left there.
    var start: [ResultSide]?
    /// The value that another subscription has left there, until the first is taken.
    var replacedValue: Value?
    var pending: Pending?
    /// How many rows there are without the window, where that is all that differs from what was taken.
    var total: Int?
    var takenTotal: Int?
    /// Why there will be no more, as long as it is not taken.
    var end: StoreError?
    var isEnded = false

    /// What there is to deliver.
    var waiting: (version: Version?, isLast: Bool)? {
      pending == nil && total == nil && end == nil
        ? nil : (pending?.sides.first?.state.version, end != nil)
    }
    /// Whether all that is new counts as written by others.
    var isPaused = false
    /// Keeps the results maintained that these replace (M5).
    var replaced: PendingUpdates?
  }

  private struct Pending {
    let sides: [ResultSide]
    let change: Change?
    let isOwn: Bool
  }

  private let handle: CursorHandle
  private let sources: ModelSources<Value, Change>
  /// Whether what this replaces, and has the sides of, is of the same sources, as after an error.
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
    // What has not begun has the sides of what it replaced.
    isOfSameSources =
      previous.map {
        $0.sources.areSame(as: sources) && ($0.isBegun.load(ordering: .acquiring) || $0.isOfSameSources)
      } ?? true
    let (start, value) = previous?.startAndValue ?? (nil, nil)
    state = Mutex(State(start: start, replacedValue: value, replaced: replaced))
  }

  /// What was taken last.
  private var startAndValue: ([ResultSide]?, Value?) {
    state.withLock { state in
      (state.start, isBegun.load(ordering: .acquiring) ? state.start.map(sources.value) : state.replacedValue)
    }
  }

  /// Finds what is new, unless something waits already; nil when there is nothing new.
  func find() -> (version: Version?, isLast: Bool)? {
    let waiting = state.withLock { $0.waiting }
    if waiting == nil { collect() }
    return waiting ?? state.withLock { $0.waiting }
  }

  /// Finds what is new and merges it with what waits already (M4).
  ///
  /// - Parameter evaluates: whether to evaluate queries that are not maintained yet.
  func collect(evaluates: Bool = true) {
    let dropped = polling.withLock { _ in poll(evaluates: evaluates) }
    withExtendedLifetime(dropped) {}
  }

  /// Finds what is new for a query that is evaluated already. Another would be waited for (M8).
  func collectEvaluated() {
    if state.withLock({ isBegun.load(ordering: .acquiring) || $0.pending != nil }) { collect() }
  }

  /// All that is new until ``resume()`` counts as written by others.
  func pause() { state.withLock { $0.isPaused = true } }

  /// What is new from here on counts as written by its writers, unless it is merged with what waits.
  func resume() {
    guard state.withLock({ $0.isPaused }) else { return }
    collectEvaluated()
    state.withLock { if $0.pending == nil { $0.isPaused = false } }
  }

  /// What waits, as one change from what was taken before (M2).
  func take() -> ModelSubscription<Value, Change>.Taken {
    let (taken, freed) = state.withLock { state in take(from: &state) }
    // What is freed with them may run code of the user's.
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

  /// To be called by one at a time.
  ///
  /// - Returns: what it replaced, to be freed outside the mutexes, since that may run code of the user's.
  private func poll(evaluates: Bool = true) -> [any Sendable] {
    let result = handle.poll(evaluates: evaluates)
    return state.withLock { state in
      let replaced: [any Sendable] = [state.start, state.pending?.sides, state.pending?.change]
      merge(result, &state)
      return replaced
    }
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
      // Back to what it was.
      state.pending = nil
      state.start = sides
      let total = sources.total?(sides)
      state.total = total == state.takenTotal ? nil : total
    } else {
      state.pending = Pending(sides: sides, change: change, isOwn: isOwn)
    }
  }
}
