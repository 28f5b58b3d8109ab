// Cursors.
//
// Cursors are the only subscribers. A pull stream polls its cursor when it is asked; a token's delivery is a
// small state machine that starts a task when its cursor is marked and ends it when nothing is left, so that
// nothing keeps actors alive between events. Both poll an `EventSource`, whether of one query, several, every
// commit or the history. Work that the registry asks for outside its lock is collected (`DeferredWork`) and
// done after leaving it.

/// An observer's position: the results last delivered to it, of one or several queries, and how it is woken.
///
/// A cursor holds no events. What it delivers is the difference between its position and the newest results, taken when
/// it asks, so a slow observer costs nothing but the version it holds.
///
/// State: everything but the constants; guarded by the registry's lock. The position of a cursor that
/// excludes origins is changed under its query's lock as well.
final class Cursor: Wakeable {
  let id: UInt64
  let queries: [ObservedQuery]
  let excluded: Set<String>
  /// The maintained queries observed, in the order of `queries`; empty until they are found or evaluated.
  var maintained: [MaintainedQuery] = []
  var position: Position { didSet { moves += 1 } }
  /// The excluded commits since the cursor was made, until it begins.
  var excludedChanges: [StoreChanges] = []
  /// The version through which excluded commits are applied for the cursor.
  var excludedThrough = Version.zero
  /// Whether a step may be undone.
  let isRewindable: Bool
  /// The position before the last step, until the cursor is polled again.
  var previous: (position: Position, version: Version?, moves: Int)?
  /// Grows with each change of position.
  private(set) var moves = 0
  /// The version of the last results delivered.
  var version: Version?
  /// The actor of the cursor's model, if it has one.
  let modelActor: ObjectIdentifier?
  /// The writers of the changes since its position (M7).
  private var writers = Writers.none
  /// The error that ended it, until it is delivered.
  var undelivered: StoreError?
  /// Why an evaluation of its query ended early.
  var failure: StoreError?
  /// Whether its observer needs no more events.
  let abandonment = Abandonment()

  enum Position {
    /// Not begun; with a state if it starts from that state without an initial event.
    case unattached(StoreState?)
    /// At results that are or were the newest ones, or at results of its own, with a state: the delivered ones, with
    /// the excluded commits applied.
    case at([PinnedTrees])
  }

  enum Writers {
    case none
    /// Its own actor alone.
    case ownActor
    /// Other writers, at least in part.
    case others
  }

  init(
    id: UInt64, queries: [ObservedQuery], excluded: Set<String>, modelActor: ObjectIdentifier? = nil,
    isRewindable: Bool, from state: StoreState?, tolerance: Duration, _ site: ObserverSite
  ) {
    self.id = id
    self.modelActor = modelActor
    self.queries = queries
    self.excluded = excluded
    self.isRewindable = isRewindable
    position = .unattached(state)
    super.init(site, tolerance: tolerance)
  }

  /// Records the writer of a change in one of its results.
  func addWriter(_ writer: ObjectIdentifier?) {
    writers = writers != .others && writer != nil && writer == modelActor ? .ownActor : .others
  }

  /// Forgets the excluded commits before it begins.
  func dropExcludedChanges(_ wakes: inout DeferredWork) {
    if !excludedChanges.isEmpty { wakes.keep(excludedChanges) }
    excludedChanges = []
  }

  /// Records a step over all changes since its position.
  ///
  /// - Returns: whether its own actor wrote all of them.
  func takeIsOwn() -> Bool {
    defer { writers = .none }
    return writers == .ownActor
  }

  /// How many versions it is behind the newest; a cursor without changes is only as far behind as routing.
  func lag(_ routed: StoreState?, newest: Version) -> Int? {
    guard let version, let routed else { return nil }
    if case .at(let results) = position,
      zip(results, maintained).allSatisfy({ $0 === $1.current && $0.state == nil })
    {
      return max(0, Int(newest.number) - Int(routed.version.number))
    }
    return max(0, Int(newest.number) - Int(version.number))
  }
}
