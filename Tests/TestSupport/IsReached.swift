/// Looks until something holds, for a minute at most.
package func isReached(_ condition: () -> Bool) async -> Bool {
  let end = ContinuousClock.now.advanced(by: .seconds(60))
  while !condition() {
    if ContinuousClock.now > end { return false }
    await Task.yield()
  }
  return true
}
