/// One observer's subscription, polled by a token's delivery or a stream.
struct EventSource<Event: Sendable>: Sendable {
  /// The subscriber that is marked when there may be an event.
  let subscriber: UInt64
  let poll: @Sendable () -> PollResult<Event>
  let wait: @Sendable () async -> Void
  /// Undoes the last poll, whose event was not delivered; false if that is not possible.
  let rewind: @Sendable () -> Bool
  /// Ends a long poll: no more events are needed.
  let abandon: @Sendable () -> Void
  /// The last event, for an error.
  let failure: @Sendable (StoreError) -> Event

  /// The events of a cursor.
  ///
  /// - Parameters:
  ///   - accumulates: whether differences without an event are part of later ones.
  ///   - event: nil where there is nothing to deliver.
  init<Cursor: EventCursor>(
    _ cursor: Cursor, accumulates: Bool = false, failure: @escaping @Sendable (StoreError) -> Event,
    _ event: @escaping @Sendable (Cursor.Step) -> Event?
  ) {
    subscriber = cursor.subscriber
    poll = {
      let result = cursor.poll().map(event)
      if cursor.engine.isRecording { cursor.engine.record(result, of: cursor.subscriber) }
      guard accumulates, case .skipped = result else { return result }
      _ = cursor.rewind()
      return .none
    }
    wait = { await cursor.engine.wait(cursor.subscriber) }
    rewind = { cursor.rewind() }
    abandon = { cursor.abandon() }
    self.failure = failure
  }

  /// The events of a cursor that observes one source.
  init<Value>(_ handle: CursorHandle, _ events: EventFilter<Value, Event>) {
    let definition = events.definition
    self.init(handle, accumulates: definition.accumulates, failure: definition.failure) { step in
      step.old.map { events.change(from: $0[0], to: step.new[0]) }
        ?? definition.initial(definition.value(step.new[0]))
    }
  }

  /// The values of a sequence that throws its last error.
  ///
  /// - Parameter value: nil where there is nothing to deliver.
  init<Cursor: EventCursor, Value>(
    valuesOf cursor: Cursor, _ value: @escaping @Sendable (Cursor.Step) -> Value?
  ) where Event == Result<Value, StoreError> {
    self.init(cursor, failure: { .failure($0) }) { step in value(step).map { .success($0) } }
  }
}
