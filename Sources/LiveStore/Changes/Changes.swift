/// What an observer of a query is told.
public enum CollectionChange<Element: Entity>: Sendable {
  /// The first event: the result at the version where observation starts.
  case initial(Results<Element>)
  /// The result changed; the change set starts from what this observer was given before.
  case update(Results<Element>, ChangeSet<Element>)
  /// The last event: why there will be no more.
  case error(StoreError)

  /// The result this event leads to; nil for an error.
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

/// What an observer of one object is told.
public enum ObjectChange<Element: Entity>: Sendable {
  /// The first event: the object, or nil while there is none.
  case initial(Element?)
  /// The object differs, in these properties.
  case change(old: Element, new: Element, properties: [PropertyChange])
  /// The object is gone; this was its last value. It may come back.
  case deleted(Element)
  /// The object is there, for the first time or again.
  case inserted(Element)
  /// The last event: why there will be no more.
  case error(StoreError)

  /// A value before and after, if this is a change in which it differs; any key path will do.
  public subscript<Value: Equatable>(_ keyPath: KeyPath<Element, Value>) -> (old: Value, new: Value)? {
    guard case .change(let old, let new, _) = self else { return nil }
    let (before, after) = (old[keyPath: keyPath], new[keyPath: keyPath])
    return isSameValue(before, after) ? nil : (before, after)
  }

  /// The object as this event leaves it: nil when it is gone or was never there.
  public var object: Element? {
    switch self {
    case .initial(let object): object
    case .change(_, let new, _): new
    case .inserted(let object): object
    case .deleted, .error: nil
    }
  }
}

/// What an observer of a single value is told.
public enum ValueChange<Value: Equatable & Sendable>: Sendable {
  /// The first event: the value where observation starts.
  case initial(Value)
  /// The value changed.
  case change(old: Value, new: Value)
  /// The last event: why there will be no more.
  case error(StoreError)

  /// The value this event leads to; nil for an error.
  public var value: Value? {
    switch self {
    case .initial(let value), .change(_, let value): value
    case .error: nil
    }
  }
}
