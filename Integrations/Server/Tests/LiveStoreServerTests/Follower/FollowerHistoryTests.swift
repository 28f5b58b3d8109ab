import Foundation
import LiveStore
import LiveStoreFollower
import LiveStoreServer
import Testing

@Suite("Followers of random histories", .timeLimit(.minutes(2)))
struct FollowerHistoryTests {
  /// The seeds of the usual run, of the full one, or those that `LIVESTORE_SEED` names, as 42 or 1...500.
  static var seeds: [UInt64] {
    let environment = ProcessInfo.processInfo.environment
    if let text = environment["LIVESTORE_SEED"] {
      let ends = text.components(separatedBy: "...").compactMap { UInt64($0) }
      if let first = ends.first, let last = ends.last, first <= last { return Array(first...last) }
    }
    return Array(1...(environment["LIVESTORE_THOROUGH"] == "1" ? 2_000 : 500))
  }

  @Test(
    "equal the server at each version that they have, whatever is cut, killed, truncated or slow",
    arguments: seeds)
  func histories(seed: UInt64) async throws {
    var generator = SeededGenerator(seed)
    let items = seed.isMultiple(of: 3) ? Item.where { $0.count > 3 } : Item.all
    let history = try FollowedHistory(
      SeededGenerator(generator.next()), commits: seed.isMultiple(of: 2) ? 3 : 1_000, items: items)
    var limits = StreamLimits.ofTests
    limits.bookmarkInterval = .milliseconds(40)
    limits.streamDuration = .milliseconds(Int.random(in: 30...400, using: &generator))
    limits.linger = seed.isMultiple(of: 2) ? .zero : .milliseconds(20)
    let isCut = seed.isMultiple(of: 4) == false
    let socket = FileManager.default.temporaryDirectory.appending(path: "livestore-\(UUID()).sock")
    // When a server stops, one of another history may get its port.
    let token = "\(UUID())"
    let server = RunningServer(
      on: isCut ? .loopback(port: 0) : .unixSocket(socket.path), limits: limits, token: token)
    let proxy = try CuttingProxy(
      SeededGenerator(generator.next()), cuttingWithin: Int.random(in: 2_000...30_000, using: &generator),
      isSlow: seed.isMultiple(of: 5))
    defer { proxy.end() }
    for _ in 0..<history.random(0...6) { try history.commit() }
    try await server.start(history.store, items: items)
    proxy.lead(to: server.port)

    var options = FollowerOptions.ofTests
    options.silence = .seconds(5)
    options.token = token
    options.onStep = { status, snapshot in history.take(status, snapshot) }
    let url = isCut ? try #require(URL(string: "http://127.0.0.1:\(proxy.port)")) : socket
    let follower = try await StoreFollower.connect(to: url, Item.self, Person.self, options: options)
    defer { follower.close() }
    for _ in 0..<12 {
      for _ in 0..<history.random(1...5) { try history.commit() }
      switch history.random(0...9) {
      case 0:
        await server.stop()
        for _ in 0..<history.random(0...5) { try history.commit() }
        try await server.start(history.store, items: items)
      case 1:
        await server.stop()
        history.copy()
        try await server.start(history.store, items: items)
      case 2, 3, 4, 5: try await follows(follower, history)
      default: break
      }
      proxy.lead(to: server.port)
    }
    try await follows(follower, history)
    await server.stop()
    try history.check()
    let difference = history.difference(follower.store.snapshot(), history.store.snapshot())
    #expect(difference == nil)
    #expect(history.stepCount > 0)
  }

  /// Waits until the follower has the server's version, at most twenty seconds.
  private func follows(_ follower: StoreFollower, _ history: FollowedHistory) async throws {
    let store = history.store
    let isThere = await eventually {
      let status = follower.status
      if case .stopped = status.state { return true }
      return status.identity == store.identity && status.version.map { $0 >= store.version } == true
    }
    if !isThere {
      throw Failure("the follower does not come to version \(store.version): \(follower.status)")
    }
    if case .stopped(let error) = follower.status.state { throw error }
  }
}
