import PostgreSQLTestSupport
import Testing

@Suite(.timeLimit(.minutes(120)), .serialized) struct `Replicas in spite of faults` {
  private func run(_ seeds: [UInt64], _ kinds: [Fault]) async throws {
    let (commits, faults, copies) = (Shared(0), Shared(0), Shared(0))
    let start = ContinuousClock.now
    try await runHistories(seeds, workers: 2, in: { try await FaultyWorld() }) { seed, world, log in
      var history = try await FaultHistory(seed, in: world, kinds)
      defer { log = history.log }
      try await history.run()
      commits.add(history.commits)
      faults.add(history.faults.count)
      copies.add(history.copies)
    } finally: {
      try await $0.stop()
    }
    let names = kinds.map(\.rawValue).joined(separator: ", ")
    print(
      "faults (\(names)): \(seeds.count) histories, \(faults.value) faults, \(commits.value) commits,",
      "\(copies.value) copies in \(start.duration(to: .now))")
  }

  @Test func `after connections are cut at any byte the store holds what the tables hold`() async throws {
    try await run(Seeds.forSuite(10, thorough: 200), [.cut, .refusal, .freeze, .termination])
  }

  @Test func `after the server is killed or shut down the store holds what the tables hold`() async throws {
    try await run(Seeds.forSuite(5, thorough: 100, from: 1_001), [.kill, .shutDown])
  }

  @Test func `after the slot is lost one commit brings the differences`() async throws {
    try await run(Seeds.forSuite(5, thorough: 100, from: 2_001), [.droppedSlot, .invalidatedSlot])
  }

  @Test func `after the publication was changed the store holds what the tables hold`() async throws {
    try await run(Seeds.forSuite(5, thorough: 100, from: 3_001), [.publication, .publicationAndCut])
  }

  @Test func `after tables were altered under way the store holds what they hold`() async throws {
    try await run(
      Seeds.forSuite(10, thorough: 200, from: 4_001),
      [.addedColumn, .renamedColumn, .renamedProperty, .alteredType, .alteredIdentity])
  }

  @Test func `after faults of all kinds the store holds what the tables hold`() async throws {
    try await run(Seeds.forSuite(15, thorough: 300, from: 5_001), Fault.allCases)
  }
}
