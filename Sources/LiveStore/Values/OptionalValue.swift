/// Makes optional types recognisable at run time.
package protocol OptionalValue {
  associatedtype Wrapped
  var wrapped: Wrapped? { get }
}

extension Optional: OptionalValue {
  package var wrapped: Wrapped? { self }
}
