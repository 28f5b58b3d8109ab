// What has to show something before the first results are there starts from these.

extension Store {
  /// Results without objects, for what has to show something before the first results are there.
  package func emptyResults<Element: Entity>() -> Results<Element> {
    let state = current
    return Results(state: state, window: state.context.evaluate(Query<Element>().limit(0)))
  }
}

extension Store {
  /// Sections without rows, for what has to show something before the first sections are there.
  package func emptySections<Key, Element>(
    _ query: SectionedQuery<Element, Key>
  ) -> SectionedResults<Key, Element> {
    snapshot().value(
      of: SectionedQuery(query: Query<Element>().limit(0), key: query.key, included: query.included))
  }
}
