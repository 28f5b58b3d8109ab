// Backlinks: the objects that link to a row.

extension Row {
  /// The objects that link to this one by a property: its backlinks, each once, in insertion order.
  ///
  /// ```swift
  /// User.where { $0.linking(\Post.author).count >= 5 }
  /// ```
  public func linking<Source: Entity, Value: RelationValue>(
    _ property: SendableKeyPath<Source, Value>
  ) -> LinkedRows<Source> where Value.Target == Element {
    linking(Source.self, [property], Source.schema.name(of: property) ?? shownMember(of: property))
  }

  /// The objects that link to this one by a property, or by one in an array of embedded values.
  ///
  /// - Parameter keyPaths: a key path of a relation to `Element`, after that of the array, if there is one.
  func linking<Source: Entity>(
    _: Source.Type, _ keyPaths: [any AnyKeyPath & Sendable], _ name: String
  ) -> LinkedRows<Source> {
    let property = keyPaths[keyPaths.count - 1]
    let link = Source.schema.linkPath(of: keyPaths) ?? Term(property, name: name)
    let index = LinkFinder(Source.self, link)
    /// If no two ids share a hash and no link leads to a missing id, exactly the rows listed under the hash
    /// link to this object. Then their links, which may be many, need not be read.
    @Sendable func areHashesUnique(_ context: ReadContext) -> Bool {
      guard context.isCommitted else { return false }
      return context.catalog.index(of: Element.self).map { context.tables[$0].collided.isEmpty } ?? true
    }
    return LinkedRows(
      path: .linking(
        .row(0),
        Backlink(
          members: keyPaths.map { MemberKey(keyPath: $0) }, target: ObjectIdentifier(Element.self),
          source: "\(Source.self)", property: name,
          step: LinkStep(source: ObjectIdentifier(Source.self), path: link, isBackward: true))),
      level: level,
      visit: { row, context, body in
        guard let found = index.find(in: context.catalog) else { return }
        let info = context.catalog.entities[found.table].links[found.link]
        // The row holds an Element.
        let hash = idHash(row.object(as: Element.self).pointee.id)
        let table = context.tables[found.table]
        guard areHashesUnique(context) else {
          table.forEachRow(found.link, info, linkingTo: row, hash: hash) { body(table.existing($0)) }
          return
        }
        table.forEachRow(found.link, listedUnder: hash) { body(table.existing($0)) }
      },
      quickCount: { row, context in
        guard let found = index.find(in: context.catalog) else { return 0 }
        guard areHashesUnique(context) else { return nil }
        let hash = idHash(row.object(as: Element.self).pointee.id)
        return context.tables[found.table].range(found.link, listedUnder: hash).count
      })
  }
}

/// The number of a link in a store's catalog.
///
/// An entity's links are numbered by its schema alone, so the number of this one is looked up once. Only the number
/// of the table is looked up for each store: comparing key paths for each row would be slow.
struct LinkFinder: Sendable {
  private let source: ObjectIdentifier
  /// The link's index among those that the schema lists; nil when it lists none at the path.
  private let link: Int?

  init<Source: Entity>(_: Source.Type, _ path: Term) {
    source = ObjectIdentifier(Source.self)
    link = Source.schema.definitions.flatMap(\.links).firstIndex { $0.path == path }
  }

  /// - Complexity: O(*e*) for *e* entities, which are few.
  func find(in catalog: Catalog) -> IncomingLink? {
    guard let link, let table = catalog.index(of: source) else { return nil }
    return IncomingLink(table: table, link: link)
  }
}
