/// A group of figures that are run together.
struct Scene: Sendable {
  let name: String
  let summary: String
  let run: @Sendable (Session) async throws -> Void

  static var all: [Scene] {
    targets + files + [
      Scene(name: "load", summary: "filling a table in one transaction", run: LoadScene.run),
      Scene(name: "transactions", summary: "transactions of one change", run: TransactionScene.run),
      Scene(name: "changes", summary: "from commit to change set, by form of query", run: ChangeScene.run),
      Scene(name: "queries", summary: "commits beside many live queries", run: QueryScene.run),
      Scene(name: "observers", summary: "many observers, and bursts", run: ObserverScene.run),
      Scene(name: "latency", summary: "from commit to an observer, by interface", run: LatencyScene.run),
      Scene(
        name: "filters", summary: "counting by filters of each type, without index", run: FilterScene.run),
      Scene(name: "reads", summary: "lookups, indexes, sorts, pages and aggregates", run: ReadScene.run),
      Scene(
        name: "concurrency", summary: "a reader beside a writer that never pauses", run: ConcurrencyScene.run),
      Scene(
        name: "memory", summary: "bytes of rows, indexes, live queries and versions", run: MemoryScene.run),
      Scene(name: "watch", summary: "livestore-watch, jq and mlr on the same lines", run: WatchScene.run),
    ]
  }
}
