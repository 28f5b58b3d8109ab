/// Whether an observer's first event is the result it starts from.
public enum InitialDelivery: Sendable, Hashable {
  /// The first event is the result, at the version where observation starts.
  case deliver
  /// There is no first event: later events start from the version at the call.
  case skip
}
