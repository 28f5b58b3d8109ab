/// An element of a list of values, which the filter of a subquery tests as if it were a row.
struct JSONElement: Entity {
  let value: FilterValue
  var id: Int { 0 }

  static let schema = Schema<JSONElement> {}

  /// What a condition reads that reads an element: one inside it, about another row, is tested within that element.
  static let dependency = Dependency(
    path: .element(ObjectIdentifier(JSONElement.self), level: 0),
    chains: [], isSame: nil, value: nil)
}
