/// A stored property that the store ignores: its value is stored, but writing it alone is no change.
///
/// It causes no events, and a query that reads it can be fetched but not observed. Writes to it are not lost: an
/// optimistic transaction or an undo that did not set it keeps it. A write to it makes no version, so a
/// follower of versions, such as a file, gets the value when another property of the object changes.
public struct Ignored<Element: Entity>: Sendable {
  let definition: PropertyDefinition<Element>

  /// Leaves a property out of the schema.
  /// - Parameters:
  ///   - keyPath: the property.
  ///   - name: its name in the struct, if the key path does not give it.
  public init<Value>(_ keyPath: SendableKeyPath<Element, Value>, _ name: String? = nil) {
    definition = PropertyDefinition(ignoring: keyPath, name: name)
  }
}
