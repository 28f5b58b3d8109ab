/// An event of a query in sections.
public enum SectionedChange<Element: Entity, Key: Hashable & Sendable>: Sendable {
  /// The first event: the sections at the version where observation starts.
  case initial(SectionedResults<Element, Key>)
  /// The sections changed. The change set starts from the sections that this observer received before.
  case update(SectionedResults<Element, Key>, SectionedChangeSet<Element, Key>)
  /// The last event: the reason why no more follow.
  case error(StoreError)

  /// The sections after this event; nil for an error.
  public var sections: SectionedResults<Element, Key>? {
    switch self {
    case .initial(let sections), .update(let sections, _): sections
    case .error: nil
    }
  }

  /// The change set; nil for the first event and for an error.
  public var changes: SectionedChangeSet<Element, Key>? {
    if case .update(_, let changes) = self { changes } else { nil }
  }
}
