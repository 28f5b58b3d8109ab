/// The description of an entity: its stored properties by name, their indexes, and the ignored properties.
///
/// ```swift
/// static let schema = Schema<Post> {
///   \.title                          // the name comes from the key path
///   Property(\.likeCount, .indexed)
///   Property(\.slug, .unique)
///   Ignored(\.scratch)
/// }
/// ```
/// The id needs no line. Every other stored property is listed or `Ignored`; the first insert checks that. An object
/// has changed when a listed property differs by its `==`.
public struct Schema<Element: Entity>: Sendable {
  let definitions: [PropertyDefinition<Element>]
  /// The indexes over several properties.
  let compounds: [CompoundIndex]
  let resolver: (@Sendable (Element, [String]) -> JSONValue)?
  let isSameObject: (@Sendable (Element, Element) -> Bool)?
  /// How objects are copied and destroyed, compiled where the schema is declared.
  let transfer: PayloadTransfer<Element>

  /// Lists the entity's properties.
  @inlinable
  public init(@SchemaBuilder<Element> _ properties: () -> [PropertyDefinition<Element>]) {
    self.init(properties(), PayloadTransfer())
  }

  @usableFromInline
  init(_ lines: [PropertyDefinition<Element>], _ transfer: PayloadTransfer<Element>) {
    definitions = PropertyDefinition.all(lines)
    compounds = lines.filter { !$0.indexed.isEmpty }.map { CompoundIndex($0) }
    resolver = nil
    isSameObject = nil
    self.transfer = transfer
  }

  /// A schema whose properties are known only at run time, as for JSON documents; see ``DynamicEntity``.
  ///
  /// An object has changed when it differs by its own `==`.
  /// - Parameter resolve: the value at a path of an object, null where there is none. It must be pure.
  @inlinable
  public init(dynamic resolve: @escaping @Sendable (_ object: Element, _ path: [String]) -> JSONValue)
  where Element: DynamicEntity {
    self.init(resolve, isSame: { $0 == $1 }, PayloadTransfer())
  }

  @usableFromInline
  init(
    _ resolve: @escaping @Sendable (Element, [String]) -> JSONValue,
    isSame: @escaping @Sendable (Element, Element) -> Bool, _ transfer: PayloadTransfer<Element>
  ) {
    definitions = []
    compounds = []
    resolver = resolve
    isSameObject = isSame
    self.transfer = transfer
  }

  /// The names of the stored properties, listed and ignored, without the id: for code that stores objects elsewhere.
  ///
  /// ```swift
  /// Post.schema.propertyNames                  // ["title", "likeCount", "slug", "scratch"]
  /// ```
  /// Names that the schema does not know, such as the names of a ``DynamicEntity``, are not included.
  /// - Complexity: O(*p*) for *p* properties.
  public var propertyNames: [String] { definitions.filter { $0.inverse == nil }.compactMap(\.name) }

  func name(of keyPath: AnyKeyPath) -> String? {
    definitions.first { $0.inverse == nil && ($0.keyPath as AnyKeyPath) == keyPath }?.name
  }

  /// The path of the links that key paths lead to, as filters and the store name it.
  func linkPath(of keyPaths: [any AnyKeyPath & Sendable]) -> Term? {
    for definition in definitions {
      if let link = definition.links.first(where: { $0.isReached(by: keyPaths) }) { return link.path }
    }
    return nil
  }
}
