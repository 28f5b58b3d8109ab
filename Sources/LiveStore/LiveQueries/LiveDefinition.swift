/// How the store keeps a ``LiveSource`` up to date, and the events it makes.
@_documentation(visibility: internal)
public struct LiveDefinition<Value: Sendable, Change: Sendable>: Sendable {
  package let query: ObservedQuery
  package let value: @Sendable (ResultSide) -> Value
  let initial: @Sendable (Value) -> Change
  /// Nil when nothing changed that is an event for this observer.
  package let change: @Sendable (_ old: ResultSide, _ new: ResultSide) -> Change?
  /// The empty change, for a member of a group whose other members changed.
  let unchanged: @Sendable (ResultSide) -> Change
  let failure: @Sendable (StoreError) -> Change
  /// The value in tables at one version without a result of the rows; nil where that is not possible.
  var direct: (@Sendable (ReadContext) -> Value?)?
  /// The change from the value of a source that was followed before; nil where `change` can compare sides of any two sources.
  var firstChange: (@Sendable (_ old: Value, _ new: ResultSide) -> Change?)?
  /// Whether differences without an event are part of later ones.
  var accumulates = false
}

extension LiveDefinition {
  /// Results and change sets of a window's rows.
  static func results<Row: Entity>(
    _ query: ObservedQuery, isModified: DifferenceTest? = nil, accumulates: Bool = false
  ) -> LiveDefinition where Value == Results<Row>, Change == CollectionChange<Row> {
    let results: @Sendable (ResultSide) -> Results<Row> = {
      Results(state: $0.state, window: $0.window, version: $0.version)
    }
    return LiveDefinition(
      query: query, value: results, initial: { .initial($0) },
      change: { old, new in
        let changes = ChangeSet(from: results(old), to: results(new), isModified: isModified)
        return changes.isEmpty ? nil : .update(changes.current, changes)
      },
      unchanged: { .update(results($0), ChangeSet(from: results($0), to: results($0))) },
      failure: { .error($0) }, accumulates: accumulates)
  }
}
