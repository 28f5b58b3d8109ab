import Synchronization

/// Runs one operation on a whole file at a time, in the order in which they came: a change of the key, a compaction, a
/// backup. Transactions do not wait for them here.
///
/// State: whether one is running, and those that wait; guarded by the mutex, which is not held while one runs.
final class UpkeepQueue: Sendable {
  private let state = Mutex(State())

  private struct State {
    var isBusy = false
    var isClosed = false
    var waiters: [(id: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
    var nextID: UInt64 = 0
  }

  /// Runs an operation when those before it have ended.
  ///
  /// - Throws: what it throws; `CancellationError` if the task is cancelled before it begins; `closed`.
  func run<Result>(_ body: () async throws -> Result) async throws -> Result {
    try await begin()
    defer { end() }
    return try await body()
  }

  /// Ends it: waits for the operations that have come, and refuses later ones.
  func close() async {
    try? await Task { try await begin(isLast: true) }.value
  }

  /// Waits for the turn of an operation; none comes behind the last.
  private func begin(isLast: Bool = false) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<Void, any Error>? = state.withLock { state in
          if Task.isCancelled { return .failure(CancellationError()) }
          if state.isClosed {
            return .failure(StoreFileError(.closed, "The file was closed before the operation began."))
          }
          state.isClosed = isLast
          if state.isBusy {
            state.waiters.append((id, continuation))
            return nil
          }
          state.isBusy = true
          return .success(())
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }

  private func end() {
    let next = state.withLock { state in
      if state.waiters.isEmpty {
        state.isBusy = false
        return nil as CheckedContinuation<Void, any Error>?
      }
      return state.waiters.removeFirst().continuation
    }
    next?.resume()
  }
}
