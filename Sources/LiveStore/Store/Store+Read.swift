// Reads of the newest version.

extension Store: StoreReader {
  /// The object with an id in the newest version, or nil.
  public subscript<Element: Entity>(_ type: Element.Type, _ id: Element.ID) -> Element? {
    snapshot()[type, id]
  }

  /// The existing objects that references lead to, all in the version that is now the newest.
  public subscript<Target: Entity>(_ references: some Sequence<Ref<Target>>) -> [Target] {
    snapshot()[references]
  }

  /// The existing objects of a map of references, all in the version that is now the newest.
  public subscript<Target: Entity>(_ map: RefMap<Target>) -> [String: Target] { snapshot()[map] }

  /// The rows of a query in the newest version, pinned to it.
  public func fetch<Element: Entity>(_ query: Query<Element>) -> Results<Element> {
    snapshot().fetch(query)
  }

  /// How many rows a query has in the newest version; 0 if its filter exceeds a limit.
  public func count<Element: Entity>(_ query: Query<Element>) -> Int { snapshot().count(query) }

  /// The value of any source in the newest version.
  public func value<Source: LiveSource>(of source: Source) -> Source.Value { snapshot().value(of: source) }

  /// A page of a query's rows in the newest version.
  public func page<Element: Entity>(
    of query: Query<Element>, after cursor: PageCursor? = nil, first count: Int
  ) throws(StoreError) -> ResultPage<Element> {
    try snapshot().page(of: query, after: cursor, first: count)
  }
}
