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
