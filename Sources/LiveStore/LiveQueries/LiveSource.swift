/// What can be observed: a query, a count, an object.
///
/// The store's observing calls take any of these; you do not make your own.
public protocol LiveSource<Value, Change>: Sendable {
  /// The value at a version.
  associatedtype Value: Sendable
  /// An observer's events.
  associatedtype Change: Sendable

  /// How the store keeps this up to date.
  @_documentation(visibility: internal)
  var liveDefinition: LiveDefinition<Value, Change> { get }
}
