// Empty values, for models to show before their first results arrive.

extension Store {
  /// Results without objects, to show before the first results arrive.
  package func emptyResults<Element: Entity>() -> Results<Element> {
    let state = current
    return Results(state: state, window: state.context.evaluate(Query<Element>().limit(0)))
  }
}

extension Store {
  /// Sections without rows, to show before the first sections arrive.
  package func emptySections<Element, Key>(
    _ query: SectionedQuery<Element, Key>
  ) -> SectionedResults<Element, Key> {
    snapshot().value(
      of: SectionedQuery(query: Query<Element>().limit(0), key: query.key, included: query.included))
  }
}
