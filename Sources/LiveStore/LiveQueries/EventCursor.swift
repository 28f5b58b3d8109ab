/// An observer's position, which its one consumer polls.
protocol EventCursor: Sendable {
  associatedtype Step: Sendable

  var engine: LiveEngine { get }
  /// The subscriber that is marked when there may be an event.
  var subscriber: UInt64 { get }
  func poll() -> PollResult<Step>
  /// Undoes the last poll, whose event was not delivered; false if that is not possible.
  func rewind() -> Bool
  /// Ends a long poll: no more events are needed.
  func abandon()
}

extension EventCursor {
  func rewind() -> Bool { false }
  func abandon() {}
}
