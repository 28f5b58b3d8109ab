/// An event for an observer of a query.
public enum CollectionChange<Element: Entity>: Sendable {
  /// The first event: the result at the version where observation starts.
  case initial(Results<Element>)
  /// The result changed. The change set starts from the result that this observer received before.
  case update(Results<Element>, ChangeSet<Element>)
  /// The last event: the reason why no more follow.
  case error(StoreError)

  /// The result after this event; nil for an error.
  public var results: Results<Element>? {
    switch self {
    case .initial(let results), .update(let results, _): results
    case .error: nil
    }
  }

  /// The change set; nil for the first event and for an error.
  public var changes: ChangeSet<Element>? {
    if case .update(_, let changes) = self { changes } else { nil }
  }
}
