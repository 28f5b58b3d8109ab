/// A property of one object before and after a change.
public struct PropertyChange: Sendable, CustomStringConvertible {
  /// The property's name in the schema.
  public let name: String
  /// The value before; cast it to the property's type.
  public let old: any Sendable
  /// The value now.
  public let new: any Sendable

  /// The name and both values.
  public var description: String { "\(name): \(shown(old)) → \(shown(new))" }
}

/// The listed properties in which two objects of one id differ.
package func propertyChanges<Element: Entity>(from old: Element, to new: Element) -> [PropertyChange] {
  withObjects(old, new) { old, new in
    Element.schema.definitions.compactMap { definition in
      guard let functions = definition.functions, let name = definition.name, !functions.isSame(old, new)
      else { return nil }
      return PropertyChange(name: name, old: functions.value(old), new: functions.value(new))
    }
  }
}
