import Dispatch
import LiveStore

/// Closes a store when nothing comes for two minutes, so that a missed event is a finding and not a standstill.
func withWatchdog<Result>(_ store: Store, _ body: () async throws -> Result) async rethrows -> Result {
  let closing = DispatchWorkItem { store.close() }
  DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(120), execute: closing)
  defer { closing.cancel() }
  return try await body()
}
