/// An event for an observer of a single value.
public enum ValueChange<Value: Equatable & Sendable>: Sendable {
  /// The first event: the value where observation starts.
  case initial(Value)
  /// The value changed.
  case change(old: Value, new: Value)
  /// The last event: the reason why no more follow.
  case error(StoreError)

  /// The value after this event; nil for an error.
  public var value: Value? {
    switch self {
    case .initial(let value), .change(_, let value): value
    case .error: nil
    }
  }
}
