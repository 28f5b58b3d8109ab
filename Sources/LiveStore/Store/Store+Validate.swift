extension Store {
  /// Checks the schemas of entities without making a store, for a test of one line.
  ///
  /// ```swift
  /// @Test func schemas() throws { try Store.validate(User.self, Post.self, Tag.self) }
  /// ```
  /// It makes the checks of a new store, and checks that each stored property is listed or ignored, as far as the
  /// layout of the objects shows. ``validate(examples:)`` makes the checks that need an object.
  /// - Parameter types: all entities that a store would have, including the targets of links.
  /// - Throws: `invalidSchema`, which names the first entity and property with a mistake: a property listed twice or
  ///   without a name, a rule that its relation cannot have, a link to an entity that is not among these, a stored
  ///   property that is not mentioned.
  /// - Complexity: O(*p*) for *p* properties; reads and makes no object.
  public static func validate<each Element: Entity>(
    _ types: repeat (each Element).Type
  ) throws(StoreError) {
    var entities: [EntityInfo] = []
    for type in repeat each types {
      entities.append(try EntityInfo(type))
      try type.schema.checkExtents()
    }
    _ = try Catalog(entities)
  }

  /// Checks the schemas of entities by an object of each, as the first insertion would: each stored property must be
  /// listed or ignored.
  ///
  /// ```swift
  /// try Store.validate(examples: User(id: UUID(), name: ""), Post(id: UUID(), slug: "", title: ""))
  /// ```
  /// - Parameter examples: an object of each entity that a store would have; they are not stored.
  /// - Throws: `invalidSchema`, as ``validate(_:)``, and for each stored property of an example that its schema does
  ///   not mention.
  /// - Complexity: O(*p*) for *p* properties.
  public static func validate<each Element: Entity>(examples: repeat each Element) throws(StoreError) {
    var entities: [EntityInfo] = []
    for example in repeat each examples {
      let info = try EntityInfo(type(of: example))
      entities.append(info)
      try withObject(example, info.check)
    }
    _ = try Catalog(entities)
  }
}
