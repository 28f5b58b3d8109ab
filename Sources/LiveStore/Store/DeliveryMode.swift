/// How commits are delivered as events.
public enum DeliveryMode: Sendable, Hashable {
  /// One merged event for all commits since the last event: right for a screen.
  case latest
  /// One event for each commit that matters, from the store's bounded history. An observer that falls behind the
  /// history gets the error `historyTruncated` as its last event.
  case everyCommit
}
