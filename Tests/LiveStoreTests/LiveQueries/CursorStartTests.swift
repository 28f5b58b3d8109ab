import TestSupport
import Testing

import LiveStore

/// Where an observer begins that skips the first event and leaves origins out, whatever waits for upkeep by then.
@Suite struct `Start of an observer that excludes origins` {
  /// ```
  /// another observer     begins
  /// writers              two commits, which upkeep has not seen: only their sum is kept
  /// the observer         is made
  /// its origin           a commit
  /// the observer         is put where it begins
  /// ```
  @Test(arguments: [0, 1, 2, 3])
  func `an observer that excludes origins does not receive a commit from before its start`(_ waiting: Int)
    throws
  {
    let executor = SeededExecutor()
    var configuration = Store.Configuration()
    configuration.executor = executor
    let store = try Store(Item.self, configuration: configuration)
    try store.write { tx in try tx.insert(contentsOf: (0..<4).map { Item($0) }) }
    let other = store.observe(Item.where { $0.rank > 0 }) { _ in }
    var random = SplitMix64(seed: 1)
    while executor.step(&random) {}
    for id in 0..<waiting { try store.write { tx in try tx.update(Item.self, id) { $0.rank = 1 } } }
    let query = Item.sorted(by: \.rank)
    let handle = store.engine.makeCursor(
      [query.liveDefinition.query], excluding: ["ui"], startsAtNewest: true)
    try store.write(origin: "ui") { tx in try tx.update(Item.self, 3) { $0.rank = 5 } }
    handle.attach()
    let definition = query.liveDefinition
    /// What there is to deliver.
    func received() -> [Int]? {
      guard case .event(let step, _) = handle.poll(), let old = step.old else { return nil }
      return definition.change(old[0], step.new[0])?.changes?.modifications.map(\.id)
    }
    #expect(received() == nil)
    try store.write { tx in try tx.update(Item.self, 2) { $0.rank = 7 } }
    #expect(received() == [2])
    while executor.step(&random) {}
    other.invalidate()
  }
}
