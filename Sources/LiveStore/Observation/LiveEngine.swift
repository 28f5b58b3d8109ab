import Foundation
import Synchronization

/// Keeps observed results up to date, in the background, and wakes who follows them.
///
/// `inbox` is where commits leave word, in a few instructions: the newest state and, while they are few,
/// the commits since the last pass. `state` is all else; whoever holds its mutex brings the results from the
/// processed state to the newest. The mutex is held during upkeep and never while a consumer's difference is
/// taken or user code but filters runs. `models` lists the models of each actor. Lock order: `state`, then
/// `inbox`; `models` by itself.
final class LiveEngine: Sendable {
  struct Inbox {
    var newest: StoreState
    /// What was committed since the last pass, in order.
    var parts: [Part] = []
    /// Whether anything follows commits; if not, they leave no word.
    var isActive = false
    /// Whether some observer wants each commit judged by its origin.
    var keepsRecords = false
    var isScheduled = false
    var isClosed = false
  }

  /// What one pass brings the results over.
  enum Part: Sendable {
    /// - Parameter writer: the actor that wrote it, if it has models: these tell their own writes from others.
    case commit(CommitRecord, writer: ActorID?)
    /// Several commits, by no matter whom, whose sum is enough.
    case sum(through: StoreState)
  }

  struct State {
    /// The state that the maintained results are of; nil while nothing is followed.
    var processed: StoreState?
    var queries: [QueryKey: MaintainedQuery] = [:]
    var byID: [UInt64: MaintainedQuery] = [:]
    var routers: [Int: Router] = [:]
    /// How queries of a table get to rows of others, each with the number of those that do.
    var chains: [Int: [LinkChain: Int]] = [:]
    /// Queries that start from an object's list: by the property, then by the hash of the owner's id.
    var listed: [IncomingLink: [UInt64: Set<UInt64>]] = [:]
    /// Results that are tables themselves, by table.
    var wholeTables: [Int: MaintainedQuery] = [:]
    var cursors: [UInt64: Cursor] = [:]
    /// Cursors that leave some origins out.
    var excluding: Set<UInt64> = []
    /// Those who want to know that there are new commits, and no more.
    var watchers: [UInt64: Follower] = [:]
    var settling = Settling()
    /// Queries that the pass under way has rows for.
    var touched: Set<UInt64> = []
    var nextID: UInt64 = 0
    var isClosed = false
    var statistics = Statistics()

    func follower(_ id: UInt64) -> Follower? { cursors[id] ?? watchers[id] }

    mutating func makeID() -> UInt64 {
      nextID += 1
      return nextID
    }
  }

  /// Commits that wait for a pass before the committing thread makes it itself, so that memory is bounded.
  static let maximumBacklog = 256

  let inbox: Mutex<Inbox>
  let state = Mutex(State())
  let models = ModelRegistry()
  private let queue = DispatchQueue(label: "livestore.upkeep", qos: .userInitiated)
  /// Where upkeep and delivery run; nil for `queue` and the tasks' own threads.
  let executor: (any TaskExecutor)?

  init(_ newest: StoreState, _ executor: (any TaskExecutor)?) {
    inbox = Mutex(Inbox(newest: newest))
    self.executor = executor
    LiveCounts.add(.engines)
  }

  deinit { LiveCounts.remove(.engines) }

  /// Records a commit; called in the order of versions.
  ///
  /// - Parameter writer: the actor that wrote it, if it has models.
  func recordCommit(_ record: CommitRecord, writer: ActorID?) {
    let (mustSchedule, isLate, merged) = inbox.withLock { inbox -> (Bool, Bool, Part?) in
      inbox.newest = record.after
      guard inbox.isActive, !inbox.isClosed else { return (false, false, nil) }
      let merged = inbox.add(record, writer: writer)
      let mustSchedule = !inbox.isScheduled
      inbox.isScheduled = true
      return (mustSchedule, inbox.parts.count > Self.maximumBacklog, merged)
    }
    if isLate {
      catchUp()
    } else if mustSchedule {
      scheduleUpkeep()
    }
    // What is freed with it may run code of the user's.
    withExtendedLifetime(merged) {}
  }

  private func scheduleUpkeep() {
    if let executor {
      Task.detached(executorPreference: executor) { [self] in catchUp() }
    } else {
      // Not a task: writers that block may hold all threads that tasks run on.
      queue.async { [self] in catchUp() }
    }
  }

  /// Takes note of objects of which only ignored properties differ.
  func noteIgnored(_ state: StoreState) { inbox.withLock { $0.newest = state } }

  /// Brings all results to the newest state.
  func catchUp() {
    var wakes = Wakes()
    state.withLock { $0.catchUp(inbox, &wakes) }
    wakes.perform()
  }

  var isClosed: Bool { inbox.withLock { $0.isClosed } }

  /// Ends everything that follows this store.
  func close() {
    var wakes = Wakes()
    // In one step: without what waits in the inbox, results cannot be brought to the newest state, nor be read in it.
    let (freed, parts) = state.withLock { engine in
      let parts = inbox.withLock { inbox in
        inbox.isClosed = true
        defer { inbox.parts = [] }
        return inbox.parts
      }
      return (engine.close(&wakes), parts)
    }
    wakes.perform()
    withExtendedLifetime((freed, parts)) {}
  }
}

extension LiveEngine.Inbox {
  /// Adds a commit: by itself where it is judged by its origin or its writer, else to the sum of those before it.
  ///
  /// - Returns: the part that it was merged with.
  mutating func add(_ record: CommitRecord, writer: ActorID?) -> LiveEngine.Part? {
    switch parts.last {
    case .commit(_, writer: nil) where !keepsRecords && writer == nil,
      .sum where !keepsRecords && writer == nil:
      let merged = parts.removeLast()
      parts.append(.sum(through: record.after))
      return merged
    default:
      parts.append(.commit(record, writer: writer))
      return nil
    }
  }
}

extension LiveEngine {
  /// Figures for `Store.metrics`.
  struct Statistics {
    var upkeepTime = Duration.zero
    var passes = 0
    var updates = 0
    var unroutedTests = 0
    var linkedTests = 0
    var rebuilds = 0
  }
}

extension LiveEngine {
  /// Suspends until there may be something new for a follower; returns at once when cancelled.
  func wait(_ id: UInt64) async {
    let waiter = state.withLock { $0.makeID() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { engine in
          guard let follower = engine.follower(id), !follower.isMarked, !follower.isEnded, !Task.isCancelled
          else {
            return true
          }
          follower.waiters[waiter] = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.follower(id)?.waiters.removeValue(forKey: waiter) }?.resume()
    }
  }

  /// Calls `onMark`, outside the mutex, whenever there may be something new for a follower.
  func connect(_ follower: UInt64, to delivery: UInt64, onMark: @escaping @Sendable () -> Void) {
    state.withLock { $0.follower(follower)?.delivery = (delivery, onMark) }
  }

  /// No longer tells a delivery, which would not answer.
  func disconnect(_ follower: UInt64, from delivery: UInt64) {
    state.withLock { engine in
      guard let follower = engine.follower(follower), follower.delivery?.id == delivery else { return }
      follower.delivery = nil
    }
  }
}

/// Who to wake after leaving the mutex.
struct Wakes {
  private var waiters: [CheckedContinuation<Void, Never>] = []
  private var settled: [CheckedContinuation<Void, any Error>] = []
  private var marks: [@Sendable () -> Void] = []
  private var kept: [any Sendable] = []

  mutating func add(_ waiter: CheckedContinuation<Void, any Error>) { settled.append(waiter) }

  mutating func mark(_ follower: Follower, _ settling: inout Settling) {
    follower.isMarked = true
    waiters.append(contentsOf: follower.waiters.values)
    follower.waiters = [:]
    if let delivery = follower.delivery {
      settling.markBusy(delivery.id)
      marks.append(delivery.onMark)
    }
  }

  /// Lets go of a follower that is gone: nobody waits for it, or for its delivery, any more.
  mutating func release(_ follower: Follower, _ settling: inout Settling) {
    waiters.append(contentsOf: follower.waiters.values)
    follower.waiters = [:]
    if let delivery = follower.delivery { settling.delivered(delivery.id, through: nil, &self) }
  }

  /// Keeps something alive until the mutex is left: what is freed may run code of the user's.
  mutating func keep(_ value: any Sendable) { kept.append(value) }

  /// Keeps all that a query holds.
  mutating func keep(_ query: MaintainedQuery) {
    keep(query.key)
    keep(query.current.trees)
    if let state = query.current.state { keep(state) }
  }

  /// Keeps all that a place holds.
  mutating func keep(_ place: Cursor.Place) {
    switch place {
    case .unattached(let state): if let state { keep(state) }
    case .pinned(let pins):
      for pin in pins {
        keep(pin.trees)
        if let state = pin.state { keep(state) }
      }
    case .own(let trees, let state):
      keep(trees)
      keep(state)
    }
  }

  consuming func perform() {
    for mark in marks { mark() }
    for waiter in waiters { waiter.resume() }
    for waiter in settled { waiter.resume() }
  }
}
