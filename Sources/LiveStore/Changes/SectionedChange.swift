/// An event of a query in sections.
public enum SectionedChange<Key: Hashable & Sendable, Element: Entity>: Sendable {
  /// The first event: the sections at the version where observation starts.
  case initial(SectionedResults<Key, Element>)
  /// Something changed; the change set starts from what this observer was given before.
  case update(SectionedResults<Key, Element>, SectionedChangeSet<Key, Element>)
  /// The last event: why there will be no more.
  case error(StoreError)

  /// The sections this event leads to; nil for an error.
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
