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
