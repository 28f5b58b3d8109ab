import Synchronization

/// Has times recorded while it lives: see ``Store/recordTimings()``.
///
/// ```swift
/// let recording = store.recordTimings()
/// defer { recording.invalidate() }
/// ```
public final class TimingRecording: Sendable {
  private let engine: LiveEngine
  private let isValid = Atomic(true)

  init(_ engine: LiveEngine) {
    self.engine = engine
    engine.beginRecording()
  }

  deinit { invalidate() }

  /// Ends it. When the last recording of a store has ended, what was measured is dropped.
  ///
  /// - Complexity: O(observed queries and observers).
  public func invalidate() {
    if isValid.exchange(false, ordering: .relaxed) { engine.endRecording() }
  }
}

extension Store {
  /// Records from here on how long commits, upkeep and deliveries take, for ``inspection``, as long as the recording
  /// lives.
  ///
  /// ```swift
  /// let recording = store.recordTimings()
  /// defer { recording.invalidate() }
  /// …
  /// for query in store.inspection.queries {
  ///   if let delivery = query.delivery { print(query.text, delivery.p95) }
  /// }
  /// ```
  /// The recordings of a store share what was measured. A commit pays for it with four looks at the clock and a lock
  /// that is held for a moment. A query takes up to 4 KB, an observer some bytes, and of commits the newest 256 are
  /// listed, however long it is recorded.
  /// - Returns: a recording to hold, which ends when it is released.
  /// - Complexity: O(1).
  public func recordTimings() -> TimingRecording { TimingRecording(engine) }
}
