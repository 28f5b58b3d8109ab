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

/// An event for an observer of one object.
public enum ObjectChange<Element: Entity>: Sendable {
  /// The first event: the object, or nil if there is none.
  case initial(Element?)
  /// The object changed, in these properties.
  case change(old: Element, new: Element, properties: [PropertyChange])
  /// The object was deleted; this was its last value. It may be inserted again.
  case deleted(Element)
  /// The object was inserted, for the first time or again.
  case inserted(Element)
  /// The last event: the reason why no more follow.
  case error(StoreError)

  /// A value before and after, if this event is a change of it; for any key path.
  public subscript<Value: Equatable>(_ keyPath: KeyPath<Element, Value>) -> (old: Value, new: Value)? {
    guard case .change(let old, let new, _) = self else { return nil }
    let (before, after) = (old[keyPath: keyPath], new[keyPath: keyPath])
    return isSameValue(before, after) ? nil : (before, after)
  }

  /// The object after this event; nil when it does not exist.
  public var object: Element? {
    switch self {
    case .initial(let object): object
    case .change(_, let new, _): new
    case .inserted(let object): object
    case .deleted, .error: nil
    }
  }
}

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
