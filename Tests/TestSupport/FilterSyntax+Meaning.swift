package import LiveStore

extension FilterSyntax {
  /// Whether a document meets the filter, as its meaning says.
  package func evaluate(_ body: JSONValue) -> Bool {
    TermMeaning().holds(filter(Row<Body>()).term, Body(id: 0, body: body))
  }
}

private struct Body: DynamicEntity {
  let id: Int
  let body: JSONValue
  static let schema = Schema<Body>(dynamic: { $0.body[path: $1] })
}
