import Foundation
import PostgreSQLTestSupport

/// A run of `live-feed` as a process.
final class FeedProcess: Sendable {
  let url: URL
  /// What the service said before it listened.
  let firstLines: [String]
  private let process: GuardedProcess

  /// The path of the program, which is built beside the tests.
  static func program() throws -> String {
    let paths = CommandLine.arguments.map { URL(fileURLWithPath: $0) } + Bundle.allBundles.map(\.bundleURL)
    let programs = paths.map { $0.deletingLastPathComponent().appendingPathComponent("live-feed").path }
    guard let program = programs.first(where: FileManager.default.isExecutableFile) else {
      throw Mismatch("live-feed was not built: it is in none of \(programs).")
    }
    return program
  }

  /// Starts the service, and waits until it listens.
  ///
  /// - Parameters:
  ///   - port: 0 for one that is free.
  ///   - heartbeat: in seconds.
  ///   - options: other arguments.
  init(
    _ connectionString: String, port: Int = 0, heartbeat: Double = 5, options: [String] = []
  ) async throws {
    process = try GuardedProcess(
      try Self.program(), [connectionString, "--port", "\(port)", "--heartbeat", "\(heartbeat)"] + options)
    let (match, others) = try await process.firstMatch(of: /^http:\S+/)
    guard let url = URL(string: String(match.output)) else { throw Mismatch("no URL: \(match.output)") }
    (self.url, firstLines) = (url, others)
  }

  /// Asks the service to end, unless it has, and gives how it ended.
  @discardableResult func stop(_ signal: Int32 = SIGTERM) async throws -> ChildProcess.End {
    try await process.stop(signal)
  }

  /// The number of streams that clients follow.
  var subscribers: Int {
    get async throws {
      struct Status: Decodable { var subscribers: Int }
      let answer = try await RawConnection.answer("GET", url.appendingPathComponent("status"))
      return try JSONDecoder().decode(Status.self, from: Data(answer.body.utf8)).subscribers
    }
  }

  /// The memory of the process, in bytes; nil where the system has no `/proc`.
  var residentBytes: Int? {
    let text = try? String(contentsOfFile: "/proc/\(process.id)/status", encoding: .utf8)
    return text?.firstMatch(of: /VmRSS:\s*(\d+) kB/).flatMap { Int($0.1) }.map { $0 << 10 }
  }
}
