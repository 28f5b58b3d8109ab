// Overloads for what a schema cannot contain, so that the compiler explains the mistake. None can be called.

/// The body of unavailable declarations.
func neverCalled() -> Never { preconditionFailure("an unavailable declaration was called") }

extension SchemaBuilder {
  /// Refuses a property whose values cannot be compared.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      A listed property's type must be Equatable, since an object has changed when a property differs. \
      Make it Equatable, or write Ignored(\\.…).
      """
  )
  public static func buildExpression<Value>(
    _ keyPath: SendableKeyPath<Element, Value>
  ) -> PropertyDefinition<Element> { neverCalled() }

  /// Refuses a schema that depends on a condition.
  @available(
    *, unavailable,
    message: """
      A schema is fixed: it lists all stored properties, without 'if' or 'switch'.
      """
  )
  public static func buildOptional(_ lines: [PropertyDefinition<Element>]?) -> PropertyDefinition<Element> {
    neverCalled()
  }

  /// Refuses a schema that depends on a condition.
  @available(
    *, unavailable,
    message: """
      A schema is fixed: it lists all stored properties, without 'if' or 'switch'.
      """
  )
  public static func buildEither(first lines: [PropertyDefinition<Element>]) -> PropertyDefinition<Element> {
    neverCalled()
  }

  /// Refuses a schema that depends on a condition.
  @available(
    *, unavailable,
    message: """
      A schema is fixed: it lists all stored properties, without 'if' or 'switch'.
      """
  )
  public static func buildEither(second lines: [PropertyDefinition<Element>]) -> PropertyDefinition<Element> {
    neverCalled()
  }

  /// Refuses a schema that is made in a loop.
  @available(
    *, unavailable,
    message: """
      A schema is fixed: it lists all stored properties one by one, without loops.
      """
  )
  public static func buildArray(_ lines: [[PropertyDefinition<Element>]]) -> PropertyDefinition<Element> {
    neverCalled()
  }
}

extension Property {
  /// Refuses a property whose values cannot be compared.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      A listed property's type must be Equatable, since an object has changed when a property differs. \
      Make it Equatable, or write Ignored(\\.…).
      """
  )
  public init<Value>(_ keyPath: SendableKeyPath<Element, Value>, _ options: PropertyOption...) {
    neverCalled()
  }

  /// Refuses a property whose values cannot be compared.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      A listed property's type must be Equatable, since an object has changed when a property differs. \
      Make it Equatable, or write Ignored(\\.…).
      """
  )
  public init<Value>(
    _ keyPath: SendableKeyPath<Element, Value>, _ name: String, _ options: PropertyOption...
  ) { neverCalled() }
}
