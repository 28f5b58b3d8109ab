import LiveStore
import TestSupport
import Testing

/// Random stories of random stores against plain Swift: what is written, by whom, who watches how, and in what order
/// background work, tasks and observers run.
///
/// A story repeats itself exactly. `LIVESTORE_SEEDS` sets how many there are, `LIVESTORE_SEED` repeats one.
@Suite struct SimulationTests {
  @Test(.timeLimit(.minutes(10)), arguments: [0, 1])
  func `observers receive what plain Swift finds, whatever happens in whatever order`(part: Int) async {
    for seed in Seeds.forSuite(60, thorough: 2_000) where Int(seed % 2) == part {
      // Other tests need the thread, too.
      await Task.yield()
      let story = SimulationTrace(seed: seed)
      guard let failure = Simulation.failure(of: story) else { continue }
      let shortest = story.shortened { Simulation.failure(of: $0) != nil }
      Issue.record("\(Simulation.failure(of: shortest) ?? failure)\nin \(shortest)")
      return
    }
  }
}
