import Foundation
import LiveStore
import LiveStoreServer
import Testing

@Suite("Streams of random histories")
struct HistoryTests {
  /// The seeds of the usual run, of the full one, or those that `LIVESTORE_SEED` names, as 42 or 1...500.
  static var seeds: [UInt64] {
    let environment = ProcessInfo.processInfo.environment
    if let text = environment["LIVESTORE_SEED"] {
      let ends = text.components(separatedBy: "...").compactMap { UInt64($0) }
      if let first = ends.first, let last = ends.last, first <= last { return Array(first...last) }
    }
    return Array(1...(environment["LIVESTORE_THOROUGH"] == "1" ? 120 : 6))
  }

  @Test("are rebuilt by another interpreter, equal to the query's result at each mark", arguments: seeds)
  func histories(seed: UInt64) async throws { try await follow(RandomHistory.streams, with: .python, seed) }

  @Test(
    "are rebuilt by the module for pages, whose changes lead from each result to the next",
    .enabled(if: Interpreter.isThere("node", "--version"), "node is not installed"), arguments: seeds)
  func pages(seed: UInt64) async throws { try await follow(RandomHistory.queries, with: .node, seed) }

  private func follow(
    _ streams: [RandomHistory.Case], with program: PythonFollower.Program, _ seed: UInt64
  ) async throws {
    var generator = SeededGenerator(seed)
    let store = try makeStore(posts: 6, history: seed.isMultiple(of: 3) ? 4 : 1_000)
    var limits = StreamLimits.ofTests
    limits.bookmarkInterval = .milliseconds(60)
    limits.pollDuration = .milliseconds(80)
    limits.streamDuration = .milliseconds(Int.random(in: 100...1_000, using: &generator))
    limits.linger = seed.isMultiple(of: 2) ? .zero : .milliseconds(50)
    let history = RandomHistory(store, generator)
    try await TestServer.with(store, limits: limits) { server in
      let follower = try PythonFollower(
        program, port: server.port, seed: seed,
        streams.enumerated().map { history.stream($0, $1.target) })
      defer { follower.end() }
      try await history.run(follower, bursts: 25, streams: streams.count)
      try history.check(follower.all())
    }
  }

  @Test(
    "are read by the client of the package durable-streams",
    .enabled(if: StrangersClient.isThere, "the package durable-streams is not installed"),
    arguments: ["sse", "long-poll"])
  func strangersClient(mode: String) async throws {
    let store = try makeStore(posts: 6)
    var limits = StreamLimits.ofTests
    limits.bookmarkInterval = .milliseconds(60)
    limits.streamDuration = .milliseconds(150)
    let history = RandomHistory(store, SeededGenerator(99))
    try await TestServer.with(store, limits: limits) { server in
      let follower = try PythonFollower(
        port: server.port, seed: 99, client: "durable-streams", packages: StrangersClient.packages,
        RandomHistory.streams.map { PythonFollower.Stream(target: $0.target, mode: mode) })
      defer { follower.end() }
      try await history.run(follower, bursts: 8)
      try history.check(follower.all())
    }
  }
}

/// The client of the package `durable-streams` on PyPI.
enum StrangersClient {
  /// Where it is, if Python does not find it by itself.
  static var packages: String? { ProcessInfo.processInfo.environment["DURABLE_STREAMS_PATH"] }

  static let isThere = Interpreter.isThere(
    "python3", "-c", "import durable_streams", environment: packages.map { ["PYTHONPATH": $0] } ?? [:])
}

/// A program that runs others, and need not be installed.
enum Interpreter {
  /// Whether a command ends well.
  static func isThere(_ command: String..., environment: [String: String] = [:]) -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
