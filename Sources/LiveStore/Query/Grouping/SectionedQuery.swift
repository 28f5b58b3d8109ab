/// A query whose rows are divided into sections by a key, for a list with headers.
///
/// ```swift
/// let contacts = Contact.sorted(by: \.name).sectioned { (contact: Contact) in contact.name.prefix(1).uppercased() }
/// for await change in store.changes(of: contacts) {
///   if case .update(let sections, let changes) = change { … }
/// }
/// ```
/// Sections are in the order of their keys, nil first and then NaN. The rows in each section have the query's
/// order. A section exists as long as it has rows, or permanently if its key is included (``including(_:)``).
/// With a window, the sections are those of the window's rows.
///
/// - Complexity: upkeep is O(*k* log *m*) for *k* rows that changed, and an event O(*d* log *m*) for *d*
///   differences, however many sections and rows there are.
public struct SectionedQuery<Element: Entity, Key: Hashable & Sendable>: Hashable, Sendable {
  /// The divided rows.
  public let query: Query<Element>
  let key: KeySource<Key>
  /// The keys whose sections exist even without rows; ascending, without duplicates.
  var included: [Key] = []
}

extension SectionedQuery: CustomStringConvertible {
  /// The query and the key, in Swift syntax.
  public var description: String {
    let sectioned = "\(query).sectioned(by: \(key.text))"
    return included.isEmpty ? sectioned : "\(sectioned).including(\(included))"
  }
}

extension Query {
  /// Divides the rows into sections by a property.
  ///
  /// ```swift
  /// let board = Card.sorted(by: \.rank).sectioned(by: \.status).including(Status.allCases)
  /// ```
  /// - Parameter keyPath: the common property of a section's rows, also over links: `\.author.name`.
  public func sectioned<Key: Comparable & Hashable & Sendable>(
    by keyPath: KeyPath<Row<Element>, Expr<Key>>
  ) -> SectionedQuery<Element, Key> {
    SectionedQuery(query: self, key: KeySource(Row()[keyPath: keyPath]))
  }

  /// Divides the rows into sections by an optional property; the section of nil is the first.
  public func sectioned<Key: Comparable & Hashable & Sendable>(
    by keyPath: KeyPath<Row<Element>, Expr<Key?>>
  ) -> SectionedQuery<Element, Key?> {
    SectionedQuery(query: self, key: KeySource(Row()[keyPath: keyPath]))
  }

  /// Divides the rows into two sections by a Boolean property, false first.
  public func sectioned(
    by keyPath: KeyPath<Row<Element>, Expr<Bool>>
  ) -> SectionedQuery<Element, Bool> {
    SectionedQuery(query: self, key: KeySource(Row()[keyPath: keyPath]))
  }

  /// Divides the rows into sections by an optional Boolean property: nil, false, true.
  public func sectioned(by keyPath: KeyPath<Row<Element>, Expr<Bool?>>) -> SectionedQuery<Element, Bool?> {
    SectionedQuery(query: self, key: KeySource(Row()[keyPath: keyPath]))
  }

  /// Divides the rows into sections by an enumeration with raw values, in the order in which its cases are declared.
  ///
  /// An enumeration that is `Comparable` is ordered by its own `<`.
  @_disfavoredOverload
  public func sectioned<Key: OrderedCases>(
    by keyPath: KeyPath<Row<Element>, Expr<Key>>
  ) -> SectionedQuery<Element, Key> {
    SectionedQuery(query: self, key: KeySource(Row()[keyPath: keyPath]))
  }

  /// Divides the rows into sections by an optional enumeration: nil first, then the cases in the order of their
  /// declaration.
  @_disfavoredOverload
  public func sectioned<Key: OrderedCases>(
    by keyPath: KeyPath<Row<Element>, Expr<Key?>>
  ) -> SectionedQuery<Element, Key?> {
    SectionedQuery(query: self, key: KeySource(Row()[keyPath: keyPath]))
  }

  /// Divides the rows into sections by the result of a closure.
  ///
  /// ```swift
  /// let byLetter = Post.sorted(by: \.title).sectioned { (post: Post) in post.title.prefix(1).uppercased() }
  /// ```
  /// The closure must be pure. It equals only itself, so reuse the sectioned query to share the maintained result.
  /// - Parameter key: the key of an object's section.
  /// - Complexity: upkeep calls the closure for each changed row, before and after.
  public func sectioned<Key: Comparable & Hashable & Sendable>(
    by key: @escaping @Sendable (Element) -> Key
  ) -> SectionedQuery<Element, Key> {
    SectionedQuery(query: self, key: KeySource(closure: key))
  }

  /// Divides the rows into sections by the case that a closure returns, in the order in which the cases are declared.
  ///
  /// ```swift
  /// let agenda = Card.sorted(by: \.title).sectioned { (card: Card) in
  ///   card.due.map { $0 < tomorrow ? Due.today : .later } ?? .someDay
  /// }
  /// ```
  /// The closure must be pure. It equals only itself, so reuse the sectioned query to share the maintained result.
  /// - Parameter key: the case of an object's section.
  @_disfavoredOverload
  public func sectioned<Key: OrderedCases>(
    by key: @escaping @Sendable (Element) -> Key
  ) -> SectionedQuery<Element, Key> {
    SectionedQuery(query: self, key: KeySource(closure: key))
  }
}
