import Foundation
import Synchronization

extension Registry {
  /// Begins to record times, or counts one more that wants it.
  mutating func beginRecording(at time: RecordedTime, _ date: Date) {
    if recording == nil { recording = Recording(at: time, date: date) } else { recording?.count += 1 }
  }

  /// One of the recordings has ended.
  ///
  /// - Returns: the recording if it has ended, to be freed outside the lock.
  mutating func endRecording() -> Recording? {
    recording?.count -= 1
    return recording?.count == 0 ? recording.take() : nil
  }

  /// A query was brought up to date, and its observers are to get an event if that changed its result (L19).
  mutating func record(_ work: UpkeepWork, _ query: MaintainedQuery, _ duration: Duration) {
    recording?.addUpkeep(of: query.id, duration)
    if !work.isChanged { return }
    // Excluded commits are no events for their observers.
    let moved = Set(work.observers.lazy.filter(\.isMoved).map(\.cursor))
    recording?.awaitEvents(
      of: query.cursors.lazy.filter { !moved.contains($0) }, since: work.lastUnchanged.supersessionTime)
  }

  /// An observer was given the event that was announced.
  ///
  /// - Parameter isTaken: whether its actor took it; a model is given nothing else.
  mutating func recordDelivery(to observer: UInt64, isTaken: Bool, at now: RecordedTime) {
    guard let cursor = cursors[observer], cursor.site.kind != .model || isTaken else { return }
    recording?.deliver(to: observer, of: cursor.maintained.map(\.id), at: now)
  }
}

extension LiveEngine {
  /// The time now.
  var time: RecordedTime {
    RecordedTime(nanoseconds: Int((now() - begin).nanoseconds))
  }

  func beginRecording() {
    registry.withLock { registry in
      registry.beginRecording(at: time, Date())
      recordsTimes.store(true, ordering: .relaxed)
    }
  }

  func endRecording() {
    let ended = registry.withLock { registry in
      let ended = registry.endRecording()
      if ended != nil { recordsTimes.store(false, ordering: .relaxed) }
      return ended
    }
    withExtendedLifetime(ended) {}
  }

  /// Records a commit that has been published; called in the order of versions.
  ///
  /// - Parameter body: when its body ran.
  func record(_ record: CommitRecord, _ body: (start: RecordedTime, end: RecordedTime)) {
    let time = time
    let deltas = record.deltas ?? []
    let commit = RecordedCommit(
      version: record.version, start: body.start, end: body.end, time: time, origin: record.origin,
      firstRows: deltas.first.map { ($0.table, $0.count) },
      otherRows: deltas.count > 1 ? deltas.dropFirst().map { ($0.table, $0.count) } : [])
    // Before the commit can be routed.
    record.before.supersede(at: time)
    registry.withLock { $0.recording?.add(commit) }
  }

  /// Records what a poll has found: a stream is given it now, a handler and a model later (L19).
  func record<Event>(_ result: PollResult<Event>, of observer: UInt64) {
    switch result {
    case .event(let event, let version?):
      let counts = (event as? any CountedChange)?.counts
      let time = time
      registry.withLock { registry in
        registry.recording?.announce(version, counts, to: observer)
        if registry.cursors[observer]?.site.kind == .stream {
          registry.recordDelivery(to: observer, isTaken: false, at: time)
        }
      }
    case .skipped: registry.withLock { $0.recording?.endEvent(of: observer) }
    case .event, .none, .failed, .ended: break
    }
  }

  /// Records that an observer was given its event.
  func recordDelivery(to observer: UInt64, isTaken: Bool = false) {
    if !isRecording { return }
    let time = time
    registry.withLock { $0.recordDelivery(to: observer, isTaken: isTaken, at: time) }
  }
}
