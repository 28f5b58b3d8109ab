/// How the store keeps a ``LiveSource`` up to date, and the events it makes.
@_documentation(visibility: internal)
public struct LiveDefinition<Value: Sendable, Change: Sendable>: Sendable {
  package let query: ObservedQuery
  package let value: @Sendable (ResultSide) -> Value
  let initial: @Sendable (Value) -> Change
  /// Nil if the difference is no event for this observer.
  package let change: @Sendable (_ old: ResultSide, _ new: ResultSide) -> Change?
  /// The empty change, for an unchanged source beside others that changed.
  let unchanged: @Sendable (ResultSide) -> Change
  let failure: @Sendable (StoreError) -> Change
  /// The value in tables at one version without a result of the rows; nil where that is not possible.
  var direct: (@Sendable (ReadContext) -> Value?)?
  /// The change from the earlier source's value; nil where `change` can compare sides of any two sources.
  var firstChange: (@Sendable (_ old: Value, _ new: ResultSide) -> Change?)?
  /// Whether differences without an event are part of later ones.
  var accumulates = false
}

extension LiveDefinition {
  /// Results and change sets of a window's rows.
  ///
  /// - Parameters:
  ///   - named: the linked values that the query names; nil for those observed.
  ///   - tracked: the linked values that an observer of some properties observes.
  ///   - isModified: whether two rows differ in these properties.
  static func results<Row: Entity>(
    _ query: ObservedQuery, naming named: [NamedValue]? = nil, tracking tracked: [NamedValue]? = nil,
    isModified: DifferenceTest? = nil
  ) -> LiveDefinition where Value == Results<Row>, Change == CollectionChange<Row> {
    let results: @Sendable (ResultSide) -> Results<Row> = { side in
      var window = side.window
      if let named { window.linked = named }
      return Results(state: side.state, window: window, version: side.version)
    }
    return LiveDefinition(
      query: query, value: results, initial: { .initial($0) },
      change: { old, new in
        let changes = ChangeSet(
          from: results(old), to: results(new), isModified: isModified, linked: tracked)
        return changes.isEmpty ? nil : .update(changes.current, changes)
      },
      unchanged: { .update(results($0), ChangeSet(from: results($0), to: results($0))) },
      failure: { .error($0) }, accumulates: isModified != nil)
  }
}
