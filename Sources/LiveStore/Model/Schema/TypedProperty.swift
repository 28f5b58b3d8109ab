/// A property of an entity whose type is known where it is used.
protocol TypedProperty<Element>: Sendable {
  associatedtype Element: Entity
  associatedtype Value: Equatable & Sendable

  var keyPath: SendableKeyPath<Element, Value> { get }
}

/// A property by its key path.
struct KeyPathProperty<Element: Entity, Value: Equatable & Sendable>: TypedProperty {
  let keyPath: SendableKeyPath<Element, Value>
}
