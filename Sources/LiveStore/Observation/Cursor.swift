/// Someone who is woken when there may be something new.
///
/// State: everything; guarded by the engine's mutex.
class Follower {
  /// Whether there may be something new since it last looked.
  var isMarked = true
  var isEnded = false
  /// Made after the store was closed, which is an error.
  var isRefused = false
  /// Consumers that are suspended until this is marked; one, but for misuse.
  var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
  /// The token's delivery, and what tells it, outside the mutex, that this was marked.
  var delivery: (id: UInt64, onMark: @Sendable () -> Void)?

  init() { LiveCounts.add(.followers) }
  deinit { LiveCounts.remove(.followers) }
}

/// An observer's place: what it was last given of one or several results, and how it is woken.
///
/// A cursor holds no events. What it is told is the difference between its place and the newest results,
/// taken when it asks, so a slow observer costs nothing but the version it holds.
///
/// State: everything but the constants; guarded by the engine's mutex.
final class Cursor: Follower {
  let id: UInt64
  let queries: [ObservedQuery]
  let excluded: Set<String>
  /// The maintained results followed, in the order of `queries`; empty until attached.
  var maintained: [MaintainedQuery] = []
  var place = Place.unattached(nil) { didSet { moves += 1 } }
  /// The excluded commits since it was made, until it begins.
  var leftOut: [StoreChanges] = []
  /// Whether a step may be taken back.
  var stepsBack = false
  /// Where it was before the last step, until it is polled again.
  var previous: (place: Place, version: Version?, moves: Int)?
  /// Grows with each change of place.
  var moves = 0
  /// The version of the last results given.
  var version: Version?
  /// The actor of the model that it serves, if it serves one.
  let owner: ActorID?
  /// Who wrote what is new since its place.
  private(set) var news = News.none
  /// Why it has ended, where that was not told yet.
  var untold: StoreError?

  enum Place {
    /// Not begun; with a state when it is to start from there without an initial event.
    case unattached(StoreState?)
    /// At results that are or were the newest.
    case pinned([PinnedTrees])
    /// At results of its own making: those it was given, with the commits it does not want to hear of.
    case own([MaintainedTrees], StoreState)
  }

  enum News {
    case none
    /// Its own actor, all of it.
    case own
    /// Others, at least in part.
    case foreign
  }

  init(
    id: UInt64, queries: [ObservedQuery], excluded: Set<String>, owner: ActorID? = nil,
    from state: StoreState?
  ) {
    self.id = id
    self.owner = owner
    self.queries = queries
    self.excluded = excluded
    super.init()
    place = .unattached(state)
  }

  /// A result of it has changed by what an actor wrote.
  func addNews(by writer: ActorID?) {
    news = news != .foreign && writer != nil && writer == owner ? .own : .foreign
  }

  /// A step is taken over all that is new.
  ///
  /// - Returns: whether all of it was written by its own actor.
  func takeNews() -> Bool {
    defer { news = .none }
    return news == .own
  }
}

/// A query as the engine knows it: without its types.
struct ObservedQuery: Sendable {
  let type: any Entity.Type
  let stages: [QueryStage]
  var grouping: Grouping?

  var last: QueryStage { stages[stages.count - 1] }
}

/// What a cursor finds when it asks.
enum CursorStep: Sendable {
  /// The first results.
  case initial([ResultSide])
  /// What it had and what there is now.
  case update([(old: ResultSide, new: ResultSide)])
  /// Nothing since it last asked.
  case none
  /// There will be nothing more.
  case ended
  case failed(StoreError)
}

extension CursorStep {
  /// The version it leads to.
  var version: Version? {
    switch self {
    case .initial(let sides): sides.first?.state.version
    case .update(let sides): sides.first?.new.state.version
    case .none, .ended, .failed: nil
    }
  }
}
