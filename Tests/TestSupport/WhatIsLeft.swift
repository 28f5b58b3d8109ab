#if DEBUG
  import LiveStore

  /// Runs something and returns what is not freed after it, or what it throws; nil when all is well.
  ///
  /// What still runs when the body returns, such as a task that delivers or a queue that frees, ends soon; so it looks
  /// until all nodes, versions and observers made are freed, for a minute at most. Counts are those of the process:
  /// to be used in a process of its own.
  package func whatIsLeft(after body: () async throws -> Void) async -> String? {
    let before = LiveCounts.all
    do { try await body() } catch { return "\(error)" }
    if await isReached({ LiveCounts.all == before }) { return nil }
    return "before \(before), after \(LiveCounts.all)"
  }
#endif
