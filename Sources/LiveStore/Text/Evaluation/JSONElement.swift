/// An element of a list of values, which the filter of a subquery tests as if it were a row.
struct JSONElement: Entity {
  let value: FilterValue
  var id: Int { 0 }

  static let schema = Schema<JSONElement> {}

  /// The dependency of a condition on an element. Conditions in it, about other rows, are tested within it.
  static let dependency = Dependency(
    path: .element(ObjectIdentifier(JSONElement.self), level: 0),
    chains: [], isSame: nil, value: nil)
}
