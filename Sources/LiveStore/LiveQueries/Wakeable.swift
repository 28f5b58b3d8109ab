/// Something that is woken when there may be something new.
///
/// State: everything; guarded by the registry's lock.
package class Wakeable {
  /// Whether there may be something new since it last looked.
  var isMarked = true
  var isEnded = false
  /// Made after the store was closed, which is an error.
  var isRefused = false
  /// Whether its observer holds events back.
  var isPaused = false
  let site: ObserverSite
  /// How much later than their commit its events may come.
  let tolerance: Duration
  /// Consumers that are suspended until this is marked; one, but for misuse.
  var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
  /// The token's delivery, and the closure that wakes it, outside the lock, when this is marked.
  var delivery: (id: UInt64, onMark: @Sendable () -> Void)?

  init(_ site: ObserverSite = .unknown, tolerance: Duration = .zero) {
    self.site = site
    self.tolerance = tolerance
    LiveCounts.add(.subscribers)
  }

  package convenience init(delivery: (id: UInt64, onMark: @Sendable () -> Void)) {
    self.init()
    self.delivery = delivery
  }

  deinit { LiveCounts.remove(.subscribers) }
}

/// An observer of commits.
final class CommitSubscriber: Wakeable {
  /// The version up to which it had consumed commits when it last asked.
  var version: Version

  init(_ site: ObserverSite, at version: Version) {
    self.version = version
    super.init(site)
  }
}
