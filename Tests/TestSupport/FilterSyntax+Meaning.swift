package import LiveStore

extension FilterSyntax {
  /// Whether a document meets the filter, as its meaning says.
  package func evaluate(_ body: JSONValue) -> Bool { !select([body]) { $0 }.isEmpty }

  /// Those of some objects whose documents meet the filter, as its meaning says.
  package func select<Object>(_ objects: some Sequence<Object>, _ body: (Object) -> JSONValue) -> [Object] {
    let (meaning, term) = (TermMeaning(), filter(Row<Body>()).term)
    return objects.filter { meaning.holds(term, Body(id: 0, body: body($0))) }
  }
}

private struct Body: DynamicEntity {
  let id: Int
  let body: JSONValue
  static let schema = Schema<Body>(dynamic: { $0.body[path: $1] })
}
