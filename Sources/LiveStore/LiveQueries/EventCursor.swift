/// An observer's position in what it observes, which its one consumer polls.
protocol EventCursor: Sendable {
  associatedtype Step: Sendable

  var engine: LiveEngine { get }
  /// What is marked when there may be something new.
  var subscriber: UInt64 { get }
  func poll() -> PollResult<Step>
  /// Undoes the last poll, whose event was not delivered; false where it cannot.
  func rewind() -> Bool
  /// Ends a poll that takes long: nothing is wanted any more.
  func abandon()
}

extension EventCursor {
  func rewind() -> Bool { false }
  func abandon() {}
}
