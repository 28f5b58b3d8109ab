/// An event of a query in sections.
public enum SectionedChange<Key: Hashable & Sendable, Element: Entity>: Sendable {
  /// The first event: the sections at the version where observation starts.
  case initial(SectionedResults<Key, Element>)
  /// The sections changed. The change set starts from the sections that this observer received before.
  case update(SectionedResults<Key, Element>, SectionedChangeSet<Key, Element>)
  /// The last event: the reason why no more follow.
  case error(StoreError)

  /// The sections after this event; nil for an error.
  public var sections: SectionedResults<Key, Element>? {
    switch self {
    case .initial(let sections), .update(let sections, _): sections
    case .error: nil
    }
  }

  /// The change set; nil for the first event and for an error.
  public var changes: SectionedChangeSet<Key, Element>? {
    if case .update(_, let changes) = self { changes } else { nil }
  }
}
