public import LiveStore

/// A repository of any kind, as a type for stored properties and arguments.
///
/// ```swift
/// let books: AnyRepository<Book> = AnyRepository(StoreRepository(store))
/// ```
public struct AnyRepository<Element: Entity>: Repository {
  private let base: any Repository<Element>

  /// Hides which repository it is.
  public init(_ base: some Repository<Element>) { self.base = base }

  /// The object with an id, or nil.
  public func find(_ id: Element.ID) async throws -> Element? { try await base.find(id) }

  /// The objects of a query, in its order.
  public func findAll(_ query: Query<Element>) async throws -> [Element] { try await base.findAll(query) }

  /// How many objects a query has.
  public func count(_ query: Query<Element>) async throws -> Int { try await base.count(query) }

  /// Adds an object, in the last place.
  public func insert(_ object: Element) async throws { try await base.insert(object) }

  /// Adds an object, or replaces the one with its id; true if it was added.
  @discardableResult
  public func upsert(_ object: Element) async throws -> Bool { try await base.upsert(object) }

  /// Edits the object with an id and returns it as it is now.
  @discardableResult
  public func update(_ id: Element.ID, _ edit: (inout Element) throws -> Void) async throws -> Element {
    try await base.update(id, edit)
  }

  /// Deletes the object with an id; false if there was none.
  @discardableResult
  public func delete(_ id: Element.ID) async throws -> Bool { try await base.delete(id) }

  /// The results of a query now, and what becomes of them.
  public func changes(of query: Query<Element>) -> RepositoryChanges<Element> { base.changes(of: query) }
}
