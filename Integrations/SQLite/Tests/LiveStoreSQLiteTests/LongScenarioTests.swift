import FaultyFiles
import Foundation
import SQLiteTestSupport
import Testing

@Suite(.timeLimit(.minutes(60)), .serialized) struct `Long scenarios with losses of power` {
  @Test func `whenever the power is lost the file has one version, whole, and all that was acknowledged`()
    async throws
  {
    let folder = try Folder(inMemory: true)
    var losses = 0
    for seed in Seeds.forSuite(20, thorough: 1_000) {
      try await FaultyFiles.exclusively(under: folder.url.path) {
        let part = try Folder(within: folder, "\(seed)")
        var scenario = LongScenario(seed, part)
        do {
          try await scenario.run()
        } catch {
          Issue.record("seed \(seed): \(error)\n\(scenario.log.suffix(30).joined(separator: "\n"))")
        }
        losses += scenario.losses
      }
    }
    print("long scenarios: the power was lost \(losses) times")
  }
}
