import Foundation
import LiveStore
import PostgreSQLTestSupport

/// How late an observer sees the updates of ticks.
struct LagMeter: Sendable {
  /// In microseconds, one for each update that was seen.
  private(set) var lags: [Int] = []
  /// Updates that the observer did not see one by one, since it was behind the history.
  private(set) var missed = 0

  /// Follows the commits of a store until all ticks have counted to a sum.
  ///
  /// - Returns: what was measured.
  static func follow(_ store: Store, from version: Version, to sum: Int) async throws -> LagMeter {
    var meter = LagMeter()
    meter.lags.reserveCapacity(sum)
    var version = version
    while meter.lags.count + meter.missed < sum {
      do {
        try await meter.measure(store, after: &version, to: sum)
      } catch StoreError.historyTruncated {
        let newest = store.snapshot()
        meter.missed = newest.fetch(Tick.all).reduce(0) { $0 + $1.count } - meter.lags.count
        version = newest.version
      }
    }
    return meter
  }

  private mutating func measure(_ store: Store, after version: inout Version, to sum: Int) async throws {
    for try await commit in store.commits(after: version) {
      version = commit.version
      let now = Int(Date().timeIntervalSince1970 * 1_000_000)
      for difference in commit.changes(of: Tick.self) {
        if let new = difference.new { lags.append(now - new.at) }
      }
      if lags.count + missed >= sum { break }
    }
  }

  /// The lag that a share of the updates keep to, in milliseconds.
  func percentile(_ share: Double) -> Double {
    let sorted = lags.sorted()
    guard !sorted.isEmpty else { return .nan }
    return Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]) / 1_000
  }
}
