import LiveStore
import Synchronization

/// One subscription to a query of an ``InMemoryRepository``: what it was last given, and nothing besides.
///
/// State: `given`, guarded by its mutex, touched by one consumer at a time.
final class InMemoryObserver<Element: Entity>: Sendable {
  private let repository: InMemoryRepository<Element>
  private let query: Query<Element>
  private let given = Mutex<[Element]?>(nil)

  init(_ repository: InMemoryRepository<Element>, _ query: Query<Element>) {
    self.repository = repository
    self.query = query
  }

  /// The next event, as soon as there is one; nil when the task is cancelled.
  func next() async throws -> RepositoryChange<Element>? {
    while !Task.isCancelled {
      let table = repository.table
      let current = try query.evaluate(over: table.objects)
      guard let previous = given.withLock({ $0 }) else {
        given.withLock { $0 = current }
        return .initial(current)
      }
      let difference = RepositoryDifference(from: previous, to: current)
      if !difference.isEmpty {
        given.withLock { $0 = current }
        return .update(current, difference)
      }
      await repository.written(after: table.revision)
    }
    return nil
  }
}
