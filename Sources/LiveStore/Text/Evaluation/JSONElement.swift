/// An element of a list of values, which the filter of a subquery tests as if it were a row.
struct JSONElement: Entity {
  let value: FilterValue
  var id: Int { 0 }

  static let schema = Schema<JSONElement> {}
}
