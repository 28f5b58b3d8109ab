extension Entity {
  /// The objects that link to an object by a property: its backlinks, as a query.
  ///
  /// ```swift
  /// store.observe(Post.linking(to: ann.ref, by: \.author).sorted(by: \.date)) { … }
  /// ```
  /// The property must be declared to hold links, by itself or in an embedded value (`\.address.owner`,
  /// `\.address?.owner`). For any other property, all objects are tested.
  public static func linking<Value: RelationValue>(
    to target: Ref<Value.Target>, by property: SendableKeyPath<Self, Value>
  ) -> Query<Self> {
    let path = schema.linkPath(of: [property])
    let value = path.map { Expr<Value>(source: .path($0), accessor: Accessor(property)) }
    return linking(to: target, by: value ?? Row()[property])
  }

  /// The objects that link to an object by a property of any of an array of embedded values, as a query.
  public static func linking<Nested, Value: RelationValue>(
    to target: Ref<Value.Target>, by property: SendableKeyPath<Self, [Nested]>,
    each link: SendableKeyPath<Nested, Value>
  ) -> Query<Self> {
    let nested = Accessor(property)
    let all = Accessor<RefSet<Value.Target>>.function { row, context in
      var references = RefSet<Value.Target>()
      for value in nested.read(row, context) {
        value[keyPath: link].forEachReference { references.insert($0) }
      }
      return references
    }
    let path =
      schema.linkPath(of: [property, link])
      ?? Term(property, name: "?").appending(PropertyPath(members: link))
    return linking(to: target, by: Expr(source: .path(path), accessor: all))
  }

  private static func linking<Value: RelationValue>(
    to target: Ref<Value.Target>, by links: Expr<Value>
  ) -> Query<Self> {
    let condition =
      Value.only(target).map { value in
        Conditions.comparing(links, .equal, value, testMask(links.accessor) { $0 == value })
      } ?? Conditions.linking(links, to: target)
    return all.selecting(condition.filter)
  }
}
