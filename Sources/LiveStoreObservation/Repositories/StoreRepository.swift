public import LiveStore

/// The objects of one entity in a store, as a repository.
///
/// ```swift
/// let books = StoreRepository<Book>(store)
/// try await books.insert(Book(id: 1, title: "Momo"))
/// for try await change in books.changes(of: Book.sorted(by: \.title)) { … }
/// ```
/// Reading never waits. Each write is a transaction, which may also fail because of the schema's rules for links:
/// `missingLinkTarget`, `requiredLinkEmpty`, `deleteRestricted`. When it returns, the models of the caller's actor
/// show what was written.
public struct StoreRepository<Element: Entity>: Repository {
  /// The store of the objects.
  public let store: Store
  /// The origin of the repository's commits: observers can exclude them, an ``UndoStack`` can record them.
  public let origin: String?

  /// The objects of an entity in a store.
  ///
  /// ```swift
  /// let books = StoreRepository<Book>(store, origin: "ui")     // what it writes can be undone
  /// ```
  /// - Parameters:
  ///   - store: where they are.
  ///   - origin: the origin of the repository's commits.
  public init(_ store: Store, origin: String? = nil) {
    self.store = store
    self.origin = origin
  }

  /// Some objects in a store of their own, in order: for tests and previews.
  ///
  /// ```swift
  /// let books = try StoreRepository(Book(id: 1, title: "Momo"), Book(id: 2, title: "Emil"))
  /// ```
  /// An entity with links to others needs a store that has those, too: `StoreRepository<Book>(try Store(Book.self,
  /// Author.self))`.
  /// - Throws: `invalidSchema`, and as ``insert(_:)``.
  public init(_ objects: Element...) throws {
    self.init(try Store(Element.self))
    try store.write { tx in try tx.insert(contentsOf: objects) }
  }

  /// The object with an id, or nil.
  ///
  /// - Complexity: O(log *n*).
  public func find(_ id: Element.ID) async throws -> Element? { store.snapshot()[Element.self, id] }

  /// The objects of a query at the newest version.
  ///
  /// - Throws: `filterTooExpensive` if the filter exceeds a limit.
  /// - Complexity: that of the query, and O(*m*) for its *m* objects.
  public func findAll(_ query: Query<Element>) async throws -> [Element] {
    let results = store.snapshot().fetch(query)
    if let error = results.error { throw error }
    return Array(results)
  }

  /// How many objects a query has at the newest version.
  ///
  /// - Throws: `filterTooExpensive` if the filter exceeds a limit.
  public func count(_ query: Query<Element>) async throws -> Int { try store.snapshot().tryToCount(query) }

  /// Adds an object, as the last one.
  ///
  /// - Throws: `duplicateID`, `uniqueViolation`, the errors of the schema's rules for links, and those of any write.
  public func insert(_ object: Element) async throws {
    try await store.write(origin: origin) { tx in try tx.insert(object) }
  }

  /// Adds an object, or replaces the one with its id; true if it was added.
  ///
  /// - Throws: as ``insert(_:)``, except `duplicateID`.
  @discardableResult
  public func upsert(_ object: Element) async throws -> Bool {
    try await store.write(origin: origin) { tx in
      let isNew = tx[Element.self, object.id] == nil
      try tx.upsert(object)
      return isNew
    }
  }

  /// Edits the object with an id and returns it as it is now.
  ///
  /// - Throws: `notFound`, `identifierChanged`, whatever the closure throws, and as ``insert(_:)``.
  @discardableResult
  public func update(_ id: Element.ID, _ edit: (inout Element) throws -> Void) async throws -> Element {
    try await store.write(origin: origin) { tx in
      try tx.update(Element.self, id) { object in
        try edit(&object)
        return object
      }
    }
  }

  /// Deletes the object with an id, with the consequences of the schema's rules; false if there was none.
  ///
  /// - Throws: `deleteRestricted`, and the errors of any write.
  @discardableResult
  public func delete(_ id: Element.ID) async throws -> Bool {
    try await store.write(origin: origin) { tx in try tx.delete(Element.self, id) }
  }

  /// The results of a query now, and their changes; ends when the store is closed.
  ///
  /// - Complexity: an event costs the store O(*d* log *m*) for *d* differences, and its array O(*m*).
  public func changes(of query: Query<Element>) -> RepositoryChanges<Element> {
    RepositoryChanges { [store] in
      let iterator = store.changes(of: query).makeAsyncIterator()
      return {
        // A copy is the same subscription.
        var iterator = iterator
        switch await iterator.next(isolation: nil) {
        case nil: return nil
        case .initial(let results): return .initial(Array(results))
        case .update(let results, let changes): return .update(Array(results), RepositoryDifference(changes))
        case .error(let error): throw error
        }
      }
    }
  }
}
