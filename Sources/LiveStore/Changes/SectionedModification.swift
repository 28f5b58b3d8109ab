/// An object whose value changed, in a result with sections.
public struct SectionedModification<Element: Entity>: Sendable, Identifiable {
  /// The position in the previous sections.
  public let oldPosition: SectionPosition
  /// The position in the current sections.
  public let newPosition: SectionPosition
  /// The object before.
  public let old: Element
  /// The object now.
  public let new: Element

  /// The object's id.
  public var id: Element.ID { new.id }

  /// A value before and after, if it differs; for any key path.
  public subscript<Value: Equatable>(_ keyPath: KeyPath<Element, Value>) -> (old: Value, new: Value)? {
    let (before, after) = (old[keyPath: keyPath], new[keyPath: keyPath])
    return isSameValue(before, after) ? nil : (before, after)
  }

  /// The listed properties that differ, with both values, followed by the linked values that differ.
  public var properties: [PropertyChange] { propertyChanges(from: old, to: new) + linked }
  let linked: [PropertyChange]
}
