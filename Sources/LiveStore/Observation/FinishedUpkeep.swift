/// Upkeep that was run. It is released after leaving the query's lock, since freeing what it holds may run code of the
/// user's.
struct FinishedUpkeep {
  let work: UpkeepWork
  let outcome: UpkeepWork.Outcome
  let wakes: Wakes
}
