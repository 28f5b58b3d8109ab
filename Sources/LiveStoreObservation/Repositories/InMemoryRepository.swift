public import LiveStore
import Synchronization

/// The objects of one entity in a dictionary, as a repository for tests: the same answers as a store, by the
/// simplest means.
///
/// ```swift
/// let books = try InMemoryRepository(Book(id: 1, title: "Momo"), Book(id: 2, title: "Emil"))
/// let library = Library(books: AnyRepository(books))
/// ```
/// Filters, sorts, ties, pages, errors and changes are those of a ``StoreRepository``. There are no other
/// entities here: links are values that are not followed. So a query that goes over them, in a filter, a sort,
/// by `tracking` or from an object's list, throws `unknownEntity`; what a link leads to is not asked when an
/// object is written, and deleting an object leaves the links to it.
///
/// Every query looks at all objects, and so does every write where a property is unique.
///
/// State: `state`, guarded by its mutex. Edits run while it is held, so that they are one after another;
/// filters do not.
public final class InMemoryRepository<Element: Entity>: Repository {
  private struct State {
    var table: InMemoryTable<Element>
    /// Observers that are suspended until the next write.
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var nextWaiter = 0
  }

  private let state: Mutex<State>

  /// Makes a repository with some objects in it, in order.
  ///
  /// - Throws: `invalidSchema`, and as ``insert(_:)``.
  public init(_ objects: Element...) throws(StoreError) {
    var table = try InMemoryTable<Element>()
    for object in objects { try table.insert(object) }
    state = Mutex(State(table: table))
  }

  var table: InMemoryTable<Element> { state.withLock { $0.table } }

  private func write<Result: Sendable>(
    _ body: (inout InMemoryTable<Element>) throws -> Result
  ) throws -> Result {
    let (result, waiters) = try state.withLock { state in
      let revision = state.table.revision
      let result = try body(&state.table)
      guard state.table.revision != revision else { return (result, [CheckedContinuation<Void, Never>]()) }
      defer { state.waiters = [:] }
      return (result, Array(state.waiters.values))
    }
    for waiter in waiters { waiter.resume() }
    return result
  }

  /// Suspends until something was written after a revision; returns at once when cancelled.
  func written(after revision: Int) async {
    let id = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          if state.table.revision != revision || Task.isCancelled { return true }
          state.waiters[id] = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
    }
  }

  /// The object with an id, or nil.
  public func find(_ id: Element.ID) async throws -> Element? { table[id] }

  /// The objects of a query.
  ///
  /// - Throws: `unknownEntity` for a query over links; `filterFailed` if a predicate throws.
  public func findAll(_ query: Query<Element>) async throws -> [Element] {
    try query.evaluate(over: table.objects)
  }

  /// How many objects a query has.
  ///
  /// - Throws: as ``findAll(_:)``.
  public func count(_ query: Query<Element>) async throws -> Int { try await findAll(query).count }

  /// Adds an object, in the last place.
  ///
  /// - Throws: `duplicateID`, `uniqueViolation`; `invalidSchema` at the first object if the schema does not
  ///   mention a stored property.
  public func insert(_ object: Element) async throws { try write { try $0.insert(object) } }

  /// Adds an object, or replaces the one with its id; true if it was added.
  ///
  /// - Throws: `uniqueViolation`; `invalidSchema` as ``insert(_:)``.
  @discardableResult
  public func upsert(_ object: Element) async throws -> Bool { try write { try $0.upsert(object) } }

  /// Edits the object with an id and returns it as it is now. The closure runs while everybody else waits.
  ///
  /// - Throws: `notFound`, `identifierChanged`, `uniqueViolation`, and whatever the closure throws.
  @discardableResult
  public func update(_ id: Element.ID, _ edit: (inout Element) throws -> Void) async throws -> Element {
    try write { try $0.update(id, edit) }
  }

  /// Deletes the object with an id; false if there was none.
  @discardableResult
  public func delete(_ id: Element.ID) async throws -> Bool { try write { $0.delete(id) } }

  /// The results of a query now, and what becomes of them; throws `unknownEntity` for a query over links.
  ///
  /// An event compares all results with those last given.
  public func changes(of query: Query<Element>) -> RepositoryChanges<Element> {
    RepositoryChanges {
      let observer = InMemoryObserver(self, query)
      return { try await observer.next() }
    }
  }
}
