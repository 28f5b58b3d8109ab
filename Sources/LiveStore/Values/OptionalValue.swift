/// Makes optional types recognisable at run time.
package protocol OptionalValue {
  associatedtype Wrapped
  var wrapped: Wrapped? { get }
  /// An optional of a value, or nil.
  init(wrapping value: Wrapped?)
}

extension Optional: OptionalValue {
  package var wrapped: Wrapped? { self }
  package init(wrapping value: Wrapped?) { self = value }
}
