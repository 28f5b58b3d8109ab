extension Query: LiveSource {
  /// Results, and change sets between them.
  public var liveDefinition: LiveDefinition<Results<Element>, CollectionChange<Element>> {
    definition(properties: nil)
  }

  /// - Parameter properties: the only properties whose difference is a modification; nil for all listed ones.
  func definition(
    properties: RowPaths<Element>?
  ) -> LiveDefinition<Results<Element>, CollectionChange<Element>> {
    let query = properties.map { tracking(Self.named($0)) } ?? self
    // Moves depend on the values that the query names, not on an observer's properties (C4, V9).
    return .results(
      ObservedQuery(type: Element.self, stages: query.stages), naming: stages.named,
      tracking: properties.map(Self.named), isModified: properties.map(Self.difference))
  }

  /// Whether two rows differ in one of some expressions.
  private static func difference(
    in properties: RowPaths<Element>
  ) -> DifferenceTest {
    let row = Row<Element>()
    let tests = properties.compactMap { row[keyPath: $0] as? any AnyExpression }
      .flatMap { ($0.isSame.map { [$0] } ?? []) + $0.linkTests }
    return { old, before, new, after in
      tests.contains { !$0(before, old.context, after, new.context) }
    }
  }
}

extension Count: LiveSource {
  /// The number of rows, and its changes.
  public var liveDefinition: LiveDefinition<Int, ValueChange<Int>> {
    LiveDefinition(
      query: ObservedQuery(type: Element.self, stages: query.stages),
      value: { $0.window.count }, initial: { .initial($0) },
      change: { old, new in
        old.window.count == new.window.count
          ? nil : .change(old: old.window.count, new: new.window.count)
      },
      unchanged: { .change(old: $0.window.count, new: $0.window.count) },
      failure: { .error($0) }, direct: { $0.count(query) },
      firstChange: { $0 == $1.window.count ? nil : .change(old: $0, new: $1.window.count) })
  }
}
