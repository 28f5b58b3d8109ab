// Cursors.
//
// Cursors are the only subscribers. A pull stream polls its cursor when it is asked; a token's delivery is
// a small state machine that starts a task when its cursor is marked and ends it when nothing is left, so
// that nothing keeps actors alive between events. An `EventSource` is what both poll, of one query,
// several, every commit or the history alike. What the registry calls for outside its lock is collected
// (`DeferredWork`) and done after leaving it.

/// An observer's position: what was last delivered to it of one or several results, and how it is woken.
///
/// A cursor holds no events. What it delivers is the difference between its position and the newest results, taken when
/// it asks, so a slow observer costs nothing but the version it holds.
///
/// State: everything but the constants; guarded by the registry's lock. The position of one that excludes origins is
/// changed under its query's lock besides.
final class Cursor: Wakeable {
  let id: UInt64
  let queries: [ObservedQuery]
  let excluded: Set<String>
  /// The maintained queries observed, in the order of `queries`; empty until they are found or evaluated.
  var maintained: [MaintainedQuery] = []
  var position: Position { didSet { moves += 1 } }
  /// The excluded commits since it was made, until it begins.
  var excludedChanges: [StoreChanges] = []
  /// The version through which excluded commits are applied for it.
  var excludedThrough = Version.zero
  /// Whether a step may be undone.
  let isRewindable: Bool
  /// Where it was before the last step, until it is polled again.
  var previous: (position: Position, version: Version?, moves: Int)?
  /// Grows with each change of position.
  private(set) var moves = 0
  /// The version of the last results delivered.
  var version: Version?
  /// The actor of the model that it serves, if it serves one.
  let modelActor: ActorID?
  /// The writers of what is new since its position (M7).
  private var writers = Writers.none
  /// Why it ended, where that was not delivered yet.
  var undelivered: StoreError?
  /// Why an evaluation of its query ended early.
  var failure: StoreError?
  /// Whether its observer wants nothing any more.
  let abandonment = Abandonment()

  enum Position {
    /// Not begun; with a state when it is to start from there without an initial event.
    case unattached(StoreState?)
    /// At results that are or were the newest.
    case pinned([PinnedTrees])
    /// At results of its own: those that were delivered, with the commits that it excludes.
    case own([MaintainedTrees], StoreState)
  }

  enum Writers {
    case none
    /// Its own actor, all of it.
    case ownActor
    /// Others, at least in part.
    case others
  }

  init(
    id: UInt64, queries: [ObservedQuery], excluded: Set<String>, modelActor: ActorID? = nil,
    isRewindable: Bool, from state: StoreState?
  ) {
    self.id = id
    self.modelActor = modelActor
    self.queries = queries
    self.excluded = excluded
    self.isRewindable = isRewindable
    position = .unattached(state)
    super.init()
  }

  /// A result of it has changed by what an actor wrote.
  func addWriter(_ writer: ActorID?) {
    writers = writers != .others && writer != nil && writer == modelActor ? .ownActor : .others
  }

  /// A step is taken over all that is new.
  ///
  /// - Returns: whether all of it was written by its own actor.
  func takeIsOwn() -> Bool {
    defer { writers = .none }
    return writers == .ownActor
  }

  /// Versions behind the newest; one for which nothing is new is behind only as far as routing is.
  func lag(_ routed: StoreState?, newest: Version, _ records: [UInt64: QueryRecord]) -> Int? {
    guard let version, let routed else { return nil }
    if case .pinned(let pins) = position,
      zip(pins, maintained).allSatisfy({ $0 === records[$1.id]?.current && $0.state == nil })
    {
      return max(0, Int(newest.number) - Int(routed.version.number))
    }
    return max(0, Int(newest.number) - Int(version.number))
  }
}
