/// What a subscription finds when it is polled; the same for tokens, streams, models and publishers.
enum PollResult<Event: Sendable>: Sendable {
  /// An event, and the version it leads to.
  case event(Event, Version?)
  /// The last event: why there are no more.
  case last(Event)
  /// Commits without an event, through a version; there may be more.
  case skipped(Version?)
  /// Nothing until it is woken.
  case none
  /// Nothing more, without an error.
  case ended

  func map<Other>(_ transform: (Event) -> Other) -> PollResult<Other> {
    switch self {
    case .event(let event, let version): .event(transform(event), version)
    case .last(let event): .last(transform(event))
    case .skipped(let version): .skipped(version)
    case .none: .none
    case .ended: .ended
    }
  }
}
