import Dispatch
import LiveStore
import Synchronization

/// The first copy, whose rows are inserted while they come (Z9). Used by one task.
///
/// Nobody has the store yet, so that its write lock can be held for as long as the server sends. Whoever waits for the
/// server holds up a thread of its own, not one of those on which tasks run.
package final class FirstCopy {
  private let readers: [any RowReader]
  private let insertion: Task<Void, any Error>
  private let failure = ResultBox<any Error>()

  /// Begins to insert what the readers are given from now on.
  ///
  /// - Parameter estimates: about how many rows each will be given.
  package init(_ engine: ReplicaEngine, _ readers: [any RowReader], estimates: [Int]) {
    self.readers = readers
    let insertions = zip(readers, estimates).map { $0.insertStaged(expecting: $1) }
    insertion = Task.detached { [failure] in
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "LiveStorePostgreSQL.FirstCopy").async {
          let result = Result {
            try engine.applyFirst { tx in
              for insert in insertions { try insert(&tx) }
            }
          }
          if case .failure(let error) = result { failure.value.withLock { $0 = error } }
          continuation.resume(with: result)
        }
      }
    }
  }

  /// Throws why rows could not be inserted, if so: then no more of them need to come.
  package func check() throws {
    if let error = failure.value.withLock({ $0 }) { throw error }
  }

  /// Says that all rows of a table have come. Those of the last table end with the copy, which may fail until then.
  package func end(_ table: Int) {
    if table < readers.count - 1 { readers[table].endStaging(nil) }
  }

  /// Waits until all rows are inserted and committed.
  package func finish() async throws {
    readers.last?.endStaging(nil)
    try await insertion.value
  }

  /// Ends a copy that failed, after which the store is as before.
  ///
  /// - Throws: why rows could not be inserted, if that was first; else the failure.
  package func abandon(_ failure: any Error) async throws {
    for reader in readers { reader.endStaging(failure) }
    try await insertion.value
  }
}
