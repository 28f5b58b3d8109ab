/// A query whose rows stand in sections by a key, as a list with headers shows them.
///
/// ```swift
/// let contacts = Contact.sorted(by: \.name).sectioned { (contact: Contact) in contact.name.prefix(1).uppercased() }
/// for await change in store.changes(of: contacts) {
///   if case .update(let sections, let changes) = change { … }
/// }
/// ```
/// Sections stand in the order of their keys, nil first and then NaN, whatever the query's order, which is
/// that of the rows in each section. A section is there as long as it has rows, or for good where its key is
/// included (``including(_:)``). With a window, the sections are those of the window's rows.
///
/// - Complexity: upkeep is O(*k* log *m*) for *k* rows that changed, and an event O(*d* log *m*) for *d*
///   differences, however many sections and rows there are.
public struct SectionedQuery<Element: Entity, Key: Hashable & Sendable>: Hashable, Sendable {
  /// The rows.
  public let query: Query<Element>
  let key: KeySource<Key>
  /// The keys whose sections are there without rows, too; ascending, each once.
  var included: [Key] = []

  /// Whether both put the rows of equal queries in the same sections; a closure equals only itself.
  public static func == (lhs: SectionedQuery, rhs: SectionedQuery) -> Bool {
    lhs.query == rhs.query && lhs.key.path == rhs.key.path && lhs.included == rhs.included
  }
  /// Hashes the query and the key.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(query)
    hasher.combine(key.path)
    hasher.combine(included)
  }
}

extension SectionedQuery: CustomStringConvertible {
  /// The query and the key, as Swift would write them.
  public var description: String {
    let sectioned = "\(query).sectioned(by: \(key.text))"
    return included.isEmpty ? sectioned : "\(sectioned).including(\(included))"
  }

  /// The way the rows would be found in a snapshot, in a line; see ``Query/explain(in:)``.
  public func explain(in snapshot: Snapshot) -> String {
    "\(query.explain(in: snapshot)), in sections by \(key.path)"
  }
}

/// An event of a query in sections.
public enum SectionedChange<Key: Hashable & Sendable, Element: Entity>: Sendable {
  /// The first event: the sections at the version where observation starts.
  case initial(SectionedResults<Key, Element>)
  /// Something changed; the change set starts from what this observer was given before.
  case update(SectionedResults<Key, Element>, SectionedChangeSet<Key, Element>)
  /// The last event: why there will be no more.
  case error(StoreError)

  /// The sections this event leads to; nil for an error.
  public var sections: SectionedResults<Key, Element>? {
    switch self {
    case .initial(let sections), .update(let sections, _): sections
    case .error: nil
    }
  }

  /// The change set; nil for the first event and for an error.
  public var changes: SectionedChangeSet<Key, Element>? {
    if case .update(_, let changes) = self { changes } else { nil }
  }
}

extension SectionedQuery: LiveSource {
  /// Sections, and change sets between them.
  public var liveDefinition: LiveDefinition<SectionedResults<Key, Element>, SectionedChange<Key, Element>> {
    let (key, included) = (key, included)
    let grouping = Grouping(form: Grouping.Form(key: key.path, kind: .sections, value: nil), operands: []) {
      let content = GroupRule<Key, Int>.Content.sums(add: { _, _, _, _ in }, value: { $0.rows })
      return GroupTable(GroupRule<Key, Int>(key, whole: nil, content, isSections: true))
    }
    let linked = stages.linkedOperands
    let sections: @Sendable (ResultSide) -> SectionedResults<Key, Element> = {
      SectionedResults($0, key, linked, included: included)
    }
    return LiveDefinition(
      query: ObservedQuery(type: Element.self, stages: stages, grouping: grouping),
      value: sections, initial: { .initial($0) },
      change: { old, new in
        let changes = SectionedChangeSet(from: sections(old), to: sections(new))
        return changes.isEmpty ? nil : .update(changes.current, changes)
      },
      unchanged: { .update(sections($0), SectionedChangeSet(from: sections($0), to: sections($0))) },
      failure: { .error($0) })
  }

  /// The query's stages with the rows ordered by section first.
  private var stages: [QueryStage] {
    let own = query.stages[query.stages.count - 1].order.keys
    return query.stages(groupedIn: [[key.sortKey] + own])
  }
}

extension Query {
  /// Puts the rows in sections by a property.
  public func sectioned<Key: Comparable & Hashable & Sendable>(
    by keyPath: KeyPath<Row<Element>, Expr<Key>>
  ) -> SectionedQuery<Element, Key> {
    SectionedQuery(query: self, key: KeySource(Row()[keyPath: keyPath]))
  }

  /// Puts the rows in sections by an optional property; the section of nil is the first.
  public func sectioned<Key: Comparable & Hashable & Sendable>(
    by keyPath: KeyPath<Row<Element>, Expr<Key?>>
  ) -> SectionedQuery<Element, Key?> {
    SectionedQuery(query: self, key: KeySource(Row()[keyPath: keyPath]))
  }

  /// Puts the rows in two sections by a Boolean property, false first.
  public func sectioned(by keyPath: KeyPath<Row<Element>, Expr<Bool>>) -> SectionedQuery<Element, Bool> {
    SectionedQuery(query: self, key: KeySource(Row()[keyPath: keyPath]))
  }

  /// Puts the rows in sections by an optional Boolean property: nil, false, true.
  public func sectioned(by keyPath: KeyPath<Row<Element>, Expr<Bool?>>) -> SectionedQuery<Element, Bool?> {
    SectionedQuery(query: self, key: KeySource(Row()[keyPath: keyPath]))
  }

  /// Puts the rows in sections by an enumeration with raw values, in the order in which its cases are declared.
  ///
  /// An enumeration that is `Comparable` stands in the order of its own `<`.
  /// - Parameter keyPath: the property that rows of one section have in common, also over links.
  @_disfavoredOverload
  public func sectioned<Key: OrderedCases>(
    by keyPath: KeyPath<Row<Element>, Expr<Key>>
  ) -> SectionedQuery<Element, Key> {
    SectionedQuery(query: self, key: KeySource(Row()[keyPath: keyPath]))
  }

  /// Puts the rows in sections by an optional enumeration: nil first, then the cases in the order of their declaration.
  ///
  /// - Parameter keyPath: the property that rows of one section have in common.
  @_disfavoredOverload
  public func sectioned<Key: OrderedCases>(
    by keyPath: KeyPath<Row<Element>, Expr<Key?>>
  ) -> SectionedQuery<Element, Key?> {
    SectionedQuery(query: self, key: KeySource(Row()[keyPath: keyPath]))
  }

  /// Puts the rows in sections by what a closure makes of them.
  ///
  /// ```swift
  /// let byLetter = Post.sorted(by: \.title).sectioned { (post: Post) in post.title.prefix(1).uppercased() }
  /// ```
  /// The closure must be pure. It equals only itself, so keep the sectioned query to share what is maintained.
  public func sectioned<Key: Comparable & Hashable & Sendable>(
    by key: @escaping @Sendable (Element) -> Key
  ) -> SectionedQuery<Element, Key> {
    SectionedQuery(query: self, key: KeySource(closure: key))
  }

  /// Puts the rows in sections by the case that a closure makes of them, in the order in which the cases are declared.
  ///
  /// The closure must be pure. It equals only itself, so keep the sectioned query to share what is maintained.
  /// - Parameter key: the case in whose section an object stands.
  @_disfavoredOverload
  public func sectioned<Key: OrderedCases>(
    by key: @escaping @Sendable (Element) -> Key
  ) -> SectionedQuery<Element, Key> {
    SectionedQuery(query: self, key: KeySource(closure: key))
  }
}

extension Store {
  /// Sections without rows, for what has to show something before the first sections are there.
  package func emptySections<Key, Element>(
    _ query: SectionedQuery<Element, Key>
  ) -> SectionedResults<Key, Element> {
    snapshot().value(
      of: SectionedQuery(query: Query<Element>().limit(0), key: query.key, included: query.included))
  }
}
