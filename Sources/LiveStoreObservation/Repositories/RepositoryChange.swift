public import LiveStore

/// An event for an observer of a repository.
public enum RepositoryChange<Element: Entity>: Sendable {
  /// The first event: the results when observation starts.
  case initial([Element])
  /// The results changed; the difference starts from the results that the observer received before.
  case update([Element], RepositoryDifference<Element>)

  /// The results after this event.
  public var elements: [Element] {
    switch self {
    case .initial(let elements), .update(let elements, _): elements
    }
  }

  /// The difference; nil for the first event.
  public var difference: RepositoryDifference<Element>? {
    if case .update(_, let difference) = self { difference } else { nil }
  }
}
