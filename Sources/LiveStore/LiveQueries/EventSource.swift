extension CursorStep {
  /// What a step means to its observer. The one place that decides it.
  ///
  /// - Parameters:
  ///   - failure: the last event, of an error.
  ///   - event: nil where there is nothing to deliver.
  func result<Event>(
    failure: (StoreError) -> Event, _ event: (_ old: [ResultSide]?, _ new: [ResultSide]) -> Event?
  ) -> PollResult<Event> {
    let made: Event?
    switch self {
    case .none: return .none
    case .ended: return .ended
    case .failed(let error): return .last(failure(error))
    case .initial(let sides): made = event(nil, sides)
    case .update(let sides): made = event(sides.map(\.old), sides.map(\.new))
    }
    return made.map { .event($0, version) } ?? .skipped(version)
  }
}

/// One observer's subscription, polled by a token's delivery or a stream.
struct EventSource<Event: Sendable>: Sendable {
  /// What is marked when there may be something new.
  let subscriber: UInt64
  let poll: @Sendable () -> PollResult<Event>
  let wait: @Sendable () async -> Void
  /// Undoes the last poll, whose event was not delivered; false where it cannot.
  var rewind: @Sendable () -> Bool = { false }
  /// Ends a poll that takes long: nothing is wanted any more.
  var abandon: @Sendable () -> Void = {}

  /// The events of a cursor.
  ///
  /// - Parameters:
  ///   - accumulates: whether differences without an event are part of later ones.
  ///   - event: nil where there is nothing to deliver.
  init(
    _ handle: CursorHandle, accumulates: Bool = false, failure: @escaping @Sendable (StoreError) -> Event,
    _ event: @escaping @Sendable (_ old: [ResultSide]?, _ new: [ResultSide]) -> Event?
  ) {
    subscriber = handle.id
    poll = {
      let result = handle.poll().result(failure: failure, event)
      guard accumulates, case .skipped = result else { return result }
      _ = handle.rewind()
      return .none
    }
    wait = { await handle.wait() }
    rewind = { handle.rewind() }
    abandon = { handle.abandon() }
  }

  /// The events of a source that is followed commit by commit.
  init<Value>(_ cursor: EveryCommitCursor<Value, Event>) {
    subscriber = cursor.subscriber
    poll = { cursor.poll() }
    wait = { await cursor.wait() }
    abandon = { cursor.abandonment.set() }
  }

  /// The commits of a store.
  init(_ commits: CommitCursor, _ event: @escaping @Sendable (Result<CommitRecord, StoreError>) -> Event) {
    subscriber = commits.subscriber
    poll = { commits.poll().map(event) }
    wait = { await commits.wait() }
  }

  /// The differences between versions of a store.
  init(
    _ versions: VersionCursor,
    _ event: @escaping @Sendable (Result<(StoreState, StoreState), StoreError>) -> Event
  ) {
    subscriber = versions.subscriber
    poll = { versions.poll().map(event) }
    wait = { await versions.wait() }
  }
}

extension EventSource {
  /// The events of a cursor that observes one source.
  init<Value>(_ handle: CursorHandle, _ events: EventFilter<Value, Event>) {
    let definition = events.definition
    self.init(handle, accumulates: definition.accumulates, failure: definition.failure) { old, new in
      old.map { events.change(from: $0[0], to: new[0]) } ?? definition.initial(definition.value(new[0]))
    }
  }
}
