import Foundation
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Random migrations` {
  @Test(arguments: Seeds.forSuite(30, thorough: 500))
  func `a file after random migrations has what a naive model has`(seed: UInt64) async throws {
    var history = try MigrationHistory(seed: seed)
    do {
      try await history.run()
    } catch {
      throw Mismatch("LIVESTORE_SEED=\(seed): \(error)\n\(history.log.joined(separator: "\n"))")
    }
  }
}
