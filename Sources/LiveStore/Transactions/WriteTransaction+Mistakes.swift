// Overloads for properties that cannot be kept, so that the compiler explains the mistake. None can be called.

extension WriteTransaction {
  /// Refuses to keep a property that cannot be set.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      A property that is kept must be a var, or computed with a setter: its stored value is set in the new object.
      """
  )
  public func upsert<Element: Entity, Value, each Other>(
    _ object: Element, keeping property: KeyPath<Element, Value>,
    _ others: repeat KeyPath<Element, each Other>
  ) throws { neverCalled() }

  /// Refuses to keep a property that cannot be set.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      A property that is kept must be a var, or computed with a setter: its stored value is set in the new objects.
      """
  )
  public func upsert<Element: Entity, Value, each Other>(
    contentsOf objects: some Sequence<Element>, keeping property: KeyPath<Element, Value>,
    _ others: repeat KeyPath<Element, each Other>
  ) throws { neverCalled() }
}
