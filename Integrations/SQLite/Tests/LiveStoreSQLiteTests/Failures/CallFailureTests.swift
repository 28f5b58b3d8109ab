import FailingCalls
import Foundation
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

@Suite(.timeLimit(.minutes(120)), .serialized, .enabled(if: FailingCalls.areAvailable))
struct `Calls to the file system that fail` {
  private let folder: Folder

  init() throws { folder = try Folder(inMemory: true) }

  /// Runs the scenario with a failure at a call.
  ///
  /// - Returns: how many calls failed, and which steps reported it.
  private func run(_ fault: Fault, call: Int, staysFailed: Bool) async throws -> (
    failed: Int, steps: [String]
  ) {
    let part = try Folder(within: folder, UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: part.url) }
    let scenario = FailureScenario(fault, part)
    FailingCalls.fail(atCall: call, of: fault.kinds, fault.failure, staysFailed: staysFailed)
    do {
      try await scenario.run()
    } catch {
      FailingCalls.disarm()
      throw Mismatch("\(fault) at call \(call)\(staysFailed ? " and all later ones" : ""): \(error)")
    }
    return (FailingCalls.failed, scenario.failures)
  }

  /// How many calls of a kind the scenario makes.
  private func callCount(_ fault: Fault) async throws -> Int {
    let result = try await run(fault, call: .max, staysFailed: false)
    try require(result.steps.isEmpty, "without a failure: \(result.steps)")
    return FailingCalls.count(fault.kinds)
  }

  @Test(arguments: Fault.allCases)
  func
    `a call that fails is an error that says so, nothing acknowledged is lost, and the next attempt succeeds`(
      fault: Fault
    ) async throws
  {
    let seed = Seeds.named?.lowerBound ?? UInt64.random(in: 0 ... .max)
    print("calls that fail: \(fault), LIVESTORE_SEED=\(seed)")
    try await FailingCalls.exclusively(under: folder.url.path) {
      let count = try await callCount(fault)
      #expect(count > 0)
      var random = SplitMix64(seed: seed)
      let some = (0..<Environment.size(3, thorough: 20)).map { _ in random.int(1...count) }
      let calls = Environment.isLong ? Array(1...count) : some
      var (reported, silent) = (0, 0)
      for call in calls {
        for staysFailed in fault.canStay ? [false, true] : [false] {
          do {
            let result = try await run(fault, call: call, staysFailed: staysFailed)
            if result.steps.isEmpty { silent += result.failed } else { reported += 1 }
          } catch {
            Issue.record("\(error)")
          }
        }
      }
      print("calls that fail: \(fault), \(count) calls, \(reported) reported, \(silent) silent")
    }
  }
}
