import LiveStoreSQLite
import SQLiteTestSupport
import Testing

@Suite(.timeLimit(.minutes(10)), .serialized) struct `Histories of files` {
  @Test(arguments: Seeds.forSuite(30, thorough: 1_000))
  func `a file that is closed and opened at any time has what arrays have`(seed: UInt64) async throws {
    var history = try FileHistory(seed)
    do {
      try await history.run()
    } catch {
      Issue.record("seed \(seed): \(error)\n\(history.log.suffix(30).joined(separator: "\n"))")
    }
    #expect(history.openings > 1, "seed \(seed)")
  }
}
