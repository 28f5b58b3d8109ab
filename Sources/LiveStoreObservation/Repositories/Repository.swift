public import LiveStore

/// The objects of one entity, wherever they are kept: what code asks for that is not to know of a store.
///
/// ```swift
/// struct Library {
///   let books: any Repository<Book>
///
///   func lend(_ id: Book.ID) async throws {
///     try await books.update(id) { $0.isLent = true }
///   }
///   func page(_ number: Int) async throws -> [Book] {
///     try await books.findAll(Book.where { !$0.isLent }.sorted(by: \.title).offset(number * 20).limit(20))
///   }
/// }
/// let library = Library(books: StoreRepository(store))
/// let tested = try Library(books: StoreRepository())
/// ```
/// What to find, in which order and which page of it is a `Query`, a value that is compared and hashed. Each
/// function that writes does so completely or, when it throws, not at all. Where several objects have to be
/// written together, use a store's transaction.
///
/// A test takes a ``StoreRepository`` over a store of its own, which is in memory and takes microseconds to make. Other
/// implementations are your own, which throw the `StoreError`s that are named here or others.
public protocol Repository<Element>: Sendable {
  /// What is kept in it.
  associatedtype Element: Entity

  /// The object with an id, or nil.
  func find(_ id: Element.ID) async throws -> Element?

  /// The objects of a query, in its order: ties as they were inserted.
  ///
  /// - Throws: `filterFailed` if a predicate throws.
  func findAll(_ query: Query<Element>) async throws -> [Element]

  /// How many objects a query has.
  ///
  /// - Throws: `filterFailed` if a predicate throws.
  func count(_ query: Query<Element>) async throws -> Int

  /// Adds an object, in the last place.
  ///
  /// - Throws: `duplicateID` if one with its id is there; `uniqueViolation`.
  func insert(_ object: Element) async throws

  /// Adds an object, or replaces the one with its id, which keeps its place.
  ///
  /// - Returns: true if it was added.
  /// - Throws: `uniqueViolation`.
  @discardableResult
  func upsert(_ object: Element) async throws -> Bool

  /// Edits the object with an id and returns it as it is now.
  ///
  /// - Throws: `notFound`; `identifierChanged` if the closure changes the id; `uniqueViolation`; and whatever
  ///   the closure throws.
  @discardableResult
  func update(_ id: Element.ID, _ edit: (inout Element) throws -> Void) async throws -> Element

  /// Deletes the object with an id; false if there was none.
  @discardableResult
  func delete(_ id: Element.ID) async throws -> Bool

  /// The results of a query now, and what becomes of them.
  func changes(of query: Query<Element>) -> RepositoryChanges<Element>
}

extension Repository {
  /// All objects, as they were inserted.
  public func findAll() async throws -> [Element] { try await findAll(Element.all) }

  /// How many objects there are.
  public func count() async throws -> Int { try await count(Element.all) }

  /// All objects now, and what becomes of them.
  public func changes() -> RepositoryChanges<Element> { changes(of: Element.all) }
}
