/// One object by its id, as something to observe; made by ``Entity/object(_:)``.
public struct ObjectQuery<Element: Entity>: LiveSource {
  /// The object's id.
  public let id: Element.ID
  let properties: RowPaths<Element>?

  /// The object or nil, and its changes.
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
      failure: { .error($0) },
      // The previous object may be another one, which still exists.
      firstChange: { _, side in .initial(collection.value(side).first) }, accumulates: properties != nil)
  }

  /// Objects whose id is this one: the engine's own kind of query, routed and indexed by the id.
  private var query: Query<Element> {
    let id = id
    // Rows of this entity's table hold Elements.
    let accessor = Accessor<Element.ID>.function { row, _ in
      row.object(as: Element.self).pointee.id
    }
    let condition = Condition(
      term: .compare(.id, .equal, Constant(id)), mask: testMask(accessor) { isEqualValue($0, id) },
      candidates: ComparedValues(.id, accessor).equal([id]))
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
