/// Upkeep that was run, to be finished after leaving the query's lock, since freeing what it holds may run code
/// of the user's.
struct FinishedUpkeep {
  /// Of the states and results in it, some live by it alone.
  private var held: (work: UpkeepWork, outcome: UpkeepWork.Outcome)?
  private var wakes: DeferredWork

  init(_ work: UpkeepWork, _ outcome: UpkeepWork.Outcome, _ wakes: DeferredWork) {
    held = (work, outcome)
    self.wakes = wakes
  }

  /// DeferredWork observers, frees what it holds, and lets calls of `settled()` return (L14).
  mutating func finish() {
    wakes.wakeObservers()
    held = nil
    wakes.perform()
  }
}
