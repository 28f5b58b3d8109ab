/// What can be observed: a query, a count, an object.
///
/// The store's observing calls take any of these; you do not make your own.
public protocol LiveSource<Value, Change>: Sendable {
  /// What there is at a version.
  associatedtype Value: Sendable
  /// An observer's events.
  associatedtype Change: Sendable

  /// How the store keeps this up to date.
  @_documentation(visibility: internal)
  var liveDefinition: LiveDefinition<Value, Change> { get }
}

/// How the store keeps a ``LiveSource`` up to date, and the events it makes.
@_documentation(visibility: internal)
public struct LiveDefinition<Value: Sendable, Change: Sendable>: Sendable {
  let query: ObservedQuery
  let value: @Sendable (ResultSide) -> Value
  let initial: @Sendable (Value) -> Change
  /// Nil when nothing changed that is an event for this observer.
  let change: @Sendable (_ old: ResultSide, _ new: ResultSide) -> Change?
  /// The empty change, for a member of a group whose other members changed.
  let unchanged: @Sendable (ResultSide) -> Change
  let failure: @Sendable (StoreError) -> Change
  /// Whether differences without an event are part of later ones.
  var accumulates = false
}

extension Query: LiveSource {
  /// Results, and change sets between them.
  public var liveDefinition: LiveDefinition<Results<Element>, CollectionChange<Element>> {
    definition(properties: nil)
  }

  /// - Parameter properties: the only ones whose difference is a modification; nil for all that are listed.
  func definition(
    properties: RowPaths<Element>?
  ) -> LiveDefinition<Results<Element>, CollectionChange<Element>> {
    let query = properties.map { tracking(operands($0)) } ?? self
    // Moves depend on what the query names, whatever an observer of some properties gets besides (C4, V9).
    let named = stages.linkedOperands
    let tracked = properties.map { operands($0) }
    let isModified = properties.map { Self.difference(in: $0) }
    let results: @Sendable (ResultSide) -> Results<Element> = { side in
      var window = side.window
      window.linked = named
      return Results(state: side.state, window: window, version: side.version)
    }
    return LiveDefinition(
      query: ObservedQuery(type: Element.self, stages: query.stages),
      value: results, initial: { .initial($0) },
      change: { old, new in
        let changes = ChangeSet(
          from: results(old), to: results(new), isModified: isModified, linked: tracked)
        return changes.isEmpty ? nil : .update(changes.current, changes)
      },
      unchanged: { .update(results($0), ChangeSet(from: results($0), to: results($0))) },
      failure: { .error($0) }, accumulates: properties != nil)
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
      failure: { .error($0) })
  }
}

/// One object by its id, as something to observe; made by ``Entity/object(_:)``.
public struct ObjectQuery<Element: Entity>: LiveSource {
  /// The object's id.
  public let id: Element.ID
  let properties: RowPaths<Element>?

  /// The object or nil, and what becomes of it.
  public var liveDefinition: LiveDefinition<Element?, ObjectChange<Element>> {
    let collection = query.definition(properties: properties)
    let names = properties.map { properties in
      Set(properties.compactMap { (Row<Element>()[keyPath: $0] as? any AnyExpression)?.propertyName })
    }
    return LiveDefinition(
      query: collection.query, value: { collection.value($0).first }, initial: { .initial($0) },
      change: { old, new in
        guard case .update(_, let changes) = collection.change(old, new) else { return nil }
        return Self.change(changes, names: names)
      },
      unchanged: { side in
        collection.value(side).first.map { .change(old: $0, new: $0, properties: []) } ?? .initial(nil)
      },
      failure: { .error($0) }, accumulates: properties != nil)
  }

  /// Objects whose id is this one: the engine's own kind of query, routed and indexed by the id.
  private var query: Query<Element> {
    let id = id
    // Rows of this entity's table hold Elements.
    let accessor = Accessor<Element.ID>.function { row, _ in
      row.object(as: Element.self).pointee.id
    }
    let condition = Condition(
      form: .compare(.id, .equal, Constant(id)), mask: testMask(accessor) { $0 == id },
      candidates: Candidates(.id, accessor, equalTo: [id]))
    return Query(stages: [QueryStage(filter: .condition(condition))])
  }

  /// - Parameter names: the only properties of the object itself to list; nil for all.
  private static func change(
    _ changes: ChangeSet<Element>, names: Set<String>?
  ) -> ObjectChange<Element>? {
    if let modification = changes.modifications.first {
      let properties =
        modification.ownProperties.filter { names?.contains($0.name) ?? true } + modification.linked
      return .change(old: modification.old, new: modification.new, properties: properties)
    }
    if !changes.deletions.isEmpty { return changes.previous.first.map { .deleted($0) } }
    if !changes.insertions.isEmpty { return changes.current.first.map { .inserted($0) } }
    return nil
  }
}

extension Entity {
  /// One object by its id, as something to observe with others at one version.
  public static func object(_ id: ID) -> ObjectQuery<Self> { ObjectQuery(id: id, properties: nil) }
}
