/// A stored property in a schema, where it needs a name or options.
///
/// ```swift
/// Property(\.likeCount, .indexed)
/// Property(\.slug, "permalink", .unique)
/// ```
public struct Property<Element: Entity>: Sendable {
  let definition: PropertyDefinition<Element>

  /// A property with the name of its key path.
  public init<Value: Equatable & Sendable>(
    _ keyPath: SendableKeyPath<Element, Value>, _ options: PropertyOption...
  ) {
    definition = PropertyDefinition(keyPath, name: nil, options: Set(options))
  }

  /// A property with another name.
  public init<Value: Equatable & Sendable>(
    _ keyPath: SendableKeyPath<Element, Value>, _ name: String, _ options: PropertyOption...
  ) {
    definition = PropertyDefinition(keyPath, name: name, options: Set(options))
  }
}

extension Property {
  /// An index over two properties together.
  ///
  /// ```swift
  /// Property(\.status, \.date, .indexed)
  /// Post.where { $0.status == .published }.sorted(by: \.date, .descending).limit(20)   // reads 20 posts
  /// ```
  /// It serves a filter for one or several values of the first property, alone or with a condition on the second, and
  /// the order by the second among rows of one value of the first; also a range of the first, and the order by both in
  /// one direction. Write the property that filters compare by `==` first. With ``PropertyOption/unique`` no two
  /// objects may agree in both; objects in which one of them is nil are not compared.
  ///
  /// The line lists the two properties, too, unless they have lines of their own. Any number of indexes may name a
  /// property.
  /// - Parameters:
  ///   - first: the property by which objects are listed.
  ///   - second: the property by which objects with equal values of the first are listed.
  ///   - option: ``PropertyOption/indexed`` or ``PropertyOption/unique``.
  public init<First: Equatable & Sendable, Second: Equatable & Sendable>(
    _ first: SendableKeyPath<Element, First>, _ second: SendableKeyPath<Element, Second>,
    _ option: PropertyOption
  ) {
    definition = PropertyDefinition(indexing: [.part(first), .part(second)], option)
  }

  /// An index over three properties together, as over two: values of the first properties, and then a range or an
  /// order of the next.
  ///
  /// - Parameters:
  ///   - first: the property by which objects are listed.
  ///   - second: the property by which objects with equal values of the first are listed.
  ///   - third: the property by which objects with equal values of both are listed.
  ///   - option: ``PropertyOption/indexed`` or ``PropertyOption/unique``.
  public init<First: Equatable & Sendable, Second: Equatable & Sendable, Third: Equatable & Sendable>(
    _ first: SendableKeyPath<Element, First>, _ second: SendableKeyPath<Element, Second>,
    _ third: SendableKeyPath<Element, Third>, _ option: PropertyOption
  ) {
    definition = PropertyDefinition(indexing: [.part(first), .part(second), .part(third)], option)
  }
}
