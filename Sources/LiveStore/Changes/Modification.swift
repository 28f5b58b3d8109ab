/// An object whose value changed.
///
/// Its indices are integers; in a result with sections, those of a section and of a row: ``SectionPosition``.
public struct Modification<Element: Entity, Index: Hashable & Sendable>: Sendable, Identifiable {
  /// The index in the previous result.
  public let oldIndex: Index
  /// The index in the current result.
  public let newIndex: Index
  /// The object before.
  public let old: Element
  /// The object now.
  public let new: Element

  /// The object's id.
  public var id: Element.ID { new.id }

  /// A value before and after, if it differs; for any key path.
  ///
  /// ```swift
  /// if let likes = modification[\.likeCount] { print("\(likes.old) → \(likes.new)") }
  /// ```
  public subscript<Value: Equatable>(_ keyPath: KeyPath<Element, Value>) -> (old: Value, new: Value)? {
    let (before, after) = (old[keyPath: keyPath], new[keyPath: keyPath])
    return isSameValue(before, after) ? nil : (before, after)
  }

  /// The listed properties that differ, with both values, followed by the linked values that differ.
  public var properties: [PropertyChange] { ownProperties + linked }

  /// The listed properties that differ.
  var ownProperties: [PropertyChange] { propertyChanges(from: old, to: new) }
  let linked: [PropertyChange]
}
