/// Work to do after leaving the registry's lock: subscribers to wake, and values to free.
package struct DeferredWork {
  private var waiters: [CheckedContinuation<Void, Never>] = []
  private var settled: [CheckedContinuation<Void, any Error>] = []
  private var marks: [@Sendable () -> Void] = []
  private var objects: [any AnyObject & Sendable] = []
  private var values: [any Sendable] = []
  /// Upkeep that was run; some of its states and results have no other reference.
  private var upkeep: [UpkeepWork] = []

  package init() {}

  mutating func add(_ waiter: CheckedContinuation<Void, any Error>) { settled.append(waiter) }

  package mutating func mark(_ subscriber: Wakeable, _ settling: inout SettledWaiters) {
    subscriber.isMarked = true
    addWaiters(of: subscriber)
    if let delivery = subscriber.delivery {
      settling.markBusy(delivery.id)
      marks.append(delivery.onMark)
    }
  }

  /// A subscriber was removed: neither it nor its delivery is waited for any more.
  mutating func release(_ subscriber: Wakeable, _ settling: inout SettledWaiters) {
    addWaiters(of: subscriber)
    if let delivery = subscriber.delivery { settling.delivered(delivery.id, through: nil, &self) }
  }

  private mutating func addWaiters(of subscriber: Wakeable) {
    if subscriber.waiters.count > 1 {
      let ids = subscriber.waiters.keys.sorted()
      waiters += ids.compactMap { subscriber.waiters[$0] }
    } else {
      waiters.append(contentsOf: subscriber.waiters.values)
    }
    subscriber.waiters = [:]
  }

  /// Keeps a value alive until the lock is left: freeing it may run user code.
  mutating func keep(_ value: (any Sendable)?) { if let value { values.append(value) } }

  /// The same for an object, at less cost.
  mutating func keep(_ object: (any AnyObject & Sendable)?) { if let object { objects.append(object) } }

  /// The same for upkeep that was run.
  mutating func keep(_ work: UpkeepWork) { upkeep.append(work) }

  /// Keeps all that a position holds.
  mutating func keep(_ position: Cursor.Position) {
    switch position {
    case .unattached(let state): keep(state)
    case .at(let results): keep(results)
    }
  }

  /// Wakes observers, frees what was kept, and lets calls of `settled()` return, in this order (L14).
  package mutating func perform() {
    for mark in marks { mark() }
    for waiter in waiters { waiter.resume() }
    marks = []
    waiters = []
    upkeep = []
    objects = []
    values = []
    for waiter in settled { waiter.resume() }
    settled = []
  }
}
