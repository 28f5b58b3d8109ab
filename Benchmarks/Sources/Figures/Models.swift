import LiveStore
import LiveStoreObservation

extension Figures {
  /// One change of one row, until a model on the main actor has published it.
  @MainActor static func models() async throws {
    var costs: [Double] = []
    for count in [1_000, 1_000_000] {
      let store = try await filled(count)
      let results = LiveResults(store, Row.where { $0.rank >= 0 }.sorted(by: \.rank), initial: .synchronous)
      _ = results.elements
      var random = SplitMix64(state: 3)
      var spent: [Double] = []
      let clock = ContinuousClock()
      for _ in 0..<2_000 {
        let id = Int.random(in: 0..<count, using: &random)
        _ = results[id: id]
        let rank = Int.random(in: 0..<1_000_000, using: &random)
        let start = clock.now
        try await store.write { tx in try tx.update(Row.self, id) { $0.rank = rank } }
        results.refresh()
        precondition(results.elements.version == store.version)
        spent.append((clock.now - start) / .microseconds(1))
      }
      costs.append(spent.sorted()[spent.count / 2])
    }
    report(
      "a change of one row of 1000000, written and published by a model, against 1000",
      "\(format(costs[1] / costs[0])) times \(format(costs[0], 1)) µs", bound: "3",
      holds: costs[1] / costs[0] <= 3)
  }
}
