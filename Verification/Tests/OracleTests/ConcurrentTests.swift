import OracleSupport
import Testing

@Suite("Tasks and threads at once, queryCase at every event")
struct ConcurrentTests {
  @Test(
    "transfers by tasks, threads and optimistic transactions keep the sum, and every event follows from the last"
  )
  func rounds() async {
    let count = HistoryTests.number("ORACLE_ROUNDS", atLeast: 1) ?? 1
    for seed in 0..<count {
      let findings = await ConcurrentRound(seed: UInt64(seed), writes: 40).run()
      #expect(findings.isEmpty, "round \(seed): \(findings.prefix(5).joined(separator: "\n"))")
    }
  }
}
