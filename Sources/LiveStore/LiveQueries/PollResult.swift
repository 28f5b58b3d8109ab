/// What a subscription finds when it is polled; the same for tokens, streams, models and publishers.
package enum PollResult<Event: Sendable>: Sendable {
  /// An event, and the version it leads to.
  case event(Event, Version?)
  /// Commits without an event, through a version; there may be more.
  case skipped(Version?)
  /// Nothing until it is woken.
  case none
  /// Nothing more, because of an error.
  case failed(StoreError)
  /// Nothing more, without an error.
  case ended

  /// The same with a transformed event; without an event if the transform returns nil.
  func map<Other>(_ transform: (Event) throws(StoreError) -> Other?) -> PollResult<Other> {
    switch self {
    case .event(let event, let version):
      do throws(StoreError) {
        guard let other = try transform(event) else { return .skipped(version) }
        return .event(other, version)
      } catch {
        return .failed(error)
      }
    case .skipped(let version): return .skipped(version)
    case .none: return .none
    case .failed(let error): return .failed(error)
    case .ended: return .ended
    }
  }
}
