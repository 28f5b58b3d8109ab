extension Scene {
  /// What must hold, each with its bound: the median of five rounds decides.
  static let targets = [
    Scene(name: "targets.load", summary: "one transaction that fills a table", run: Targets.load),
    Scene(
      name: "targets.memory", summary: "bytes of a row beside its struct, and of an index",
      run: Targets.memory),
    Scene(name: "targets.page", summary: "the first 20 rows of a range, in its order", run: Targets.page),
    Scene(name: "targets.reads", summary: "scan, fetch, sum and sort", run: Targets.reads),
    Scene(name: "targets.update", summary: "a transaction of one update", run: Targets.update),
    Scene(name: "targets.lookup", summary: "lookup by id", run: Targets.lookup),
    Scene(
      name: "targets.computation", summary: "commit, upkeep and change set, computed",
      run: Targets.computation),
    Scene(
      name: "targets.delivery", summary: "commit to change set in an observer's task", run: Targets.delivery),
    Scene(
      name: "targets.queries", summary: "a commit that concerns one of many live queries",
      run: Targets.queries),
    Scene(name: "targets.snapshot", summary: "taking a snapshot", run: Targets.snapshot),
  ]
}

/// The rows of the table of demands.
enum Targets {
  static func rows(_ session: Session) -> [Int] { session.rows([1_000_000]) }
}
