import Foundation
import Synchronization

/// The recording of a registry. In an object, so that it is one pointer where there is none: of instants the compiler does not
/// know the size, and each commit would pay for that.
final class RecordingBox {
  var value: Recording

  init(_ value: Recording) { self.value = value }
}

extension Registry {
  /// Begins to record times, or counts one more that wants it.
  mutating func beginRecording(at time: ContinuousClock.Instant, _ date: Date) {
    if let recording {
      recording.value.count += 1
    } else {
      recording = RecordingBox(Recording(at: time, date: date))
    }
  }

  /// One of the recordings has ended.
  ///
  /// - Returns: the recording if it has ended, to be freed outside the lock.
  mutating func endRecording() -> Recording? {
    guard let recording else { return nil }
    recording.value.count -= 1
    if recording.value.count > 0 { return nil }
    self.recording = nil
    return recording.value
  }

  /// A query was brought up to date, and its observers are to get an event if that changed its result (L19).
  mutating func record(_ work: UpkeepWork, _ query: MaintainedQuery, _ duration: Duration) {
    recording?.value.addUpkeep(of: query.id, duration)
    if !work.isChanged { return }
    // Excluded commits are no events for their observers.
    let moved = Set(work.observers.lazy.filter(\.isMoved).map(\.cursor))
    recording?.value.awaitEvents(
      of: query.cursors.lazy.filter { !moved.contains($0) }, since: work.lastUnchanged.supersessionTime)
  }

  /// An observer was given the event that was announced.
  ///
  /// - Parameter isTaken: whether its actor took it; a model is given nothing else.
  mutating func recordDelivery(to observer: UInt64, isTaken: Bool, at now: ContinuousClock.Instant) {
    guard let cursor = cursors[observer], cursor.site.kind != .model || isTaken else { return }
    recording?.value.deliver(to: observer, of: cursor.maintained.map(\.id), at: now)
  }
}

extension LiveEngine {
  func beginRecording() {
    registry.withLock { registry in
      registry.beginRecording(at: now(), Date())
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
  func record(_ record: CommitRecord, _ body: BodyTimes) {
    let time = now()
    let commit = RecordedCommit(
      version: record.version, time: time, origin: record.origin,
      rows: record.deltas?.map { ($0.table, $0.count) } ?? [], body: body.end - body.start,
      commit: time - body.end)
    // Before the commit can be routed.
    record.before.supersede(at: time)
    registry.withLock { $0.recording?.value.add(commit) }
  }

  /// Records what a poll has found: a stream is given it now, a handler and a model later (L19).
  func record<Event>(_ result: PollResult<Event>, of observer: UInt64) {
    switch result {
    case .event(let event, let version?):
      let counts = (event as? any CountedChange)?.counts
      let time = now()
      registry.withLock { registry in
        registry.recording?.value.announce(version, counts, to: observer)
        if registry.cursors[observer]?.site.kind == .stream {
          registry.recordDelivery(to: observer, isTaken: false, at: time)
        }
      }
    case .skipped: registry.withLock { $0.recording?.value.endEvent(of: observer) }
    case .event, .none, .failed, .ended: break
    }
  }

  /// Records that an observer was given its event.
  func recordDelivery(to observer: UInt64, isTaken: Bool = false) {
    if !isRecording { return }
    let time = now()
    registry.withLock { $0.recordDelivery(to: observer, isTaken: isTaken, at: time) }
  }
}
