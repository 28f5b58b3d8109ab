public import LiveStore

/// The objects of one entity, wherever they are stored: the interface for code that should not depend on a store.
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
/// The filter, the order and the page are a `Query`, a value that can be compared and hashed. Each function that
/// writes does so completely or, when it throws, not at all. To write several objects together, use a store's
/// transaction.
///
/// A test uses a ``StoreRepository`` with a store of its own, which is in memory and takes microseconds to create.
/// Other implementations throw the `StoreError`s named here, or their own errors.
public protocol Repository<Element>: Sendable {
  /// The type of its objects.
  associatedtype Element: Entity

  /// The object with an id, or nil.
  func find(_ id: Element.ID) async throws -> Element?

  /// The objects of a query, in its order; ties are in insertion order.
  ///
  /// - Throws: `filterTooExpensive` if the filter exceeds a limit.
  func findAll(_ query: Query<Element>) async throws -> [Element]

  /// How many objects a query has.
  ///
  /// - Throws: `filterTooExpensive` if the filter exceeds a limit.
  func count(_ query: Query<Element>) async throws -> Int

  /// Adds an object, as the last one.
  ///
  /// - Throws: `duplicateID` if an object with its id exists; `uniqueViolation`.
  func insert(_ object: Element) async throws

  /// Adds an object, or replaces the one with its id in place.
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

  /// The results of a query now, and their changes.
  func changes(of query: Query<Element>) -> RepositoryChanges<Element>
}

extension Repository {
  /// All objects, in insertion order.
  public func findAll() async throws -> [Element] { try await findAll(Element.all) }

  /// How many objects there are.
  public func count() async throws -> Int { try await count(Element.all) }

  /// All objects now, and their changes.
  public func changes() -> RepositoryChanges<Element> { changes(of: Element.all) }
}
