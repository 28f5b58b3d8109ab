import PostgreSQLTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Random transactions` {
  @Test func `statements fail only where one transaction is in the way of another`() async throws {
    let server = try await TestServer.shared()
    try await server.withDatabase { database in
      let connections = try await Workload.connect(to: database)
      var (seeds, idle): (Int, [UInt64]) = (0, [])
      for seed in Seeds.forSuite(20, thorough: 200) {
        var random = SplitMix64(seed: seed)
        let tables = SampleTables(&random)
        try await tables.create(in: database)
        var workload = try await Workload(
          database, tables, random.fork(), hasLarge: seed % 3 == 0, connections: connections)
        for _ in 0..<40 { try await workload.step() }
        try await workload.finish()
        // Unique keys, locks, serialization.
        let states = Set(workload.failures.keys).subtracting(["23505", "55P03", "40001", "40P01"])
        if !states.isEmpty {
          let log = workload.log.suffix(40).map { $0.prefix(500) }.joined(separator: "\n")
          Issue.record("seed \(seed): \(states)\n\(log)")
        }
        seeds += 1
        if workload.contents.isEmpty, workload.history.contents.count <= 1 { idle.append(seed) }
      }
      // Of some, all transactions are rolled back.
      #expect(idle.count * 10 <= seeds, "seeds \(idle)")
    }
  }
}
