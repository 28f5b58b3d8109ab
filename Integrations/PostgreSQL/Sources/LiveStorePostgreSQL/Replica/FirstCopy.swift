import Dispatch
import LiveStore

/// The first copy, whose rows are inserted while they come (Z9). Used by one task.
///
/// Nobody has the store yet, so that its write lock can be held for as long as the server sends. Whoever waits for the
/// server holds up a thread of its own, not one of those on which tasks run.
final class FirstCopy {
  private let readers: [any RowReader]
  private let insertion: Task<Void, any Error>

  /// Begins to insert what the readers are given from now on.
  ///
  /// - Parameter estimates: about how many rows each will be given.
  init(_ engine: ReplicaEngine, _ readers: [any RowReader], estimates: [Int]) {
    self.readers = readers
    let insertions = zip(readers, estimates).map { $0.insertStaged(expecting: $1) }
    insertion = Task.detached {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "LiveStorePostgreSQL.FirstCopy").async {
          continuation.resume(
            with: Result {
              try engine.applyFirst { tx in
                for insert in insertions { try insert(&tx) }
              }
            })
        }
      }
    }
  }

  /// Waits until all rows are inserted and committed. The readers have ended.
  func finish() async throws { try await insertion.value }

  /// Ends a copy that failed, after which the store is as before.
  func abandon(_ failure: any Error) async {
    for reader in readers { reader.endStaging(failure) }
    _ = await insertion.result
  }
}
