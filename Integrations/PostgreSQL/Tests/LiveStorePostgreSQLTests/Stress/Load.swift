import Foundation
import PostgreSQLTestSupport

/// Small transactions of several clients at a rate, each of which updates one tick.
struct Load: Sendable {
  private static let threadCount = 4
  private let connectionString: String
  private let rate: Int
  private let seconds: Int
  private let rows: Int

  init(_ database: TestDatabase, rate: Int, seconds: Int, rows: Int) {
    connectionString = database.connectionString
    (self.rate, self.seconds, self.rows) = (rate, seconds, rows)
  }

  /// Runs `rate * seconds` transactions, not faster than the rate.
  ///
  /// - Returns: how many there were.
  func run() async throws -> Int {
    let count = rate * seconds / Self.threadCount
    let interval = Duration.seconds(seconds) / count
    let workers = (0..<Self.threadCount).map { number in
      Worker { [connectionString, rows] in
        let connection = try SQLConnection(connectionString)
        try connection.execute(
          "PREPARE tick AS UPDATE ticks SET count = count + 1, at = \(Tick.now) WHERE id = $1")
        let start = ContinuousClock.now
        for index in 0..<count {
          // A little ahead is waited for, in whole milliseconds.
          let ahead = ContinuousClock.now.duration(to: start + interval * index)
          if ahead > .milliseconds(1) { poll(nil, 0, Int32(ahead / .milliseconds(1))) }
          // Each thread has rows of its own.
          let row = 1 + (index * Self.threadCount + number) % rows
          try connection.execute("EXECUTE tick(\(row))")
        }
        return count
      }
    }
    var sum = 0
    for worker in workers { sum += try await worker.value() }
    return sum
  }
}
