import Foundation
import LiveStore
import LiveStoreFollower
import LiveStoreServer
import Synchronization
import Testing

/// A server that a test starts, stops, and starts again.
///
/// State: the task and the port, guarded by their mutex.
final class RunningServer: Sendable {
  private let address: ServerAddress
  private let limits: StreamLimits
  private let token: String?
  private let state = Mutex<(task: Task<Void, any Error>?, port: Int, server: ServerState?)>((nil, 0, nil))

  init(on address: ServerAddress = .loopback(port: 0), limits: StreamLimits = .ofTests, token: String? = nil)
  {
    (self.address, self.limits, self.token) = (address, limits, token)
  }

  /// The port, for a server that has one.
  var port: Int { state.withLock { $0.port } }

  var serverState: ServerState { get throws { try #require(state.withLock { $0.server }) } }

  var url: URL { get throws { try #require(URL(string: "http://localhost:\(port)")) } }

  /// Shows items and persons as whole objects.
  ///
  /// - Parameter items: the items that clients may see.
  func start(_ store: Store, items: Query<Item> = Item.all) async throws {
    var access = AccessRules()
    access.token = token
    let server = try StoreServer(
      store, configuration: ServerConfiguration(access: access, limits: limits), logger: .silent
    ) {
      Expose(Item.self, filtering: [\.text, \.count]) { _ in items }
      Expose(Person.self)
    }
    try await start(server)
  }

  func start<Identity>(_ server: StoreServer<Identity>) async throws {
    let (ports, source) = AsyncStream<Int>.makeStream()
    let task = Task { [address] in
      defer { source.finish() }
      try await server.run(on: address) { source.yield($0 ?? 0) }
    }
    var iterator = ports.makeAsyncIterator()
    let port = try #require(await iterator.next())
    state.withLock { $0 = (task, port, server.state) }
  }

  func stop() async {
    let task = state.withLock { $0.task.take() }
    task?.cancel()
    _ = await task?.result
  }
}

extension FollowerOptions {
  /// Waits that tests need not wait for.
  static var ofTests: FollowerOptions {
    var options = FollowerOptions()
    (options.minimumDelay, options.maximumDelay) = (.milliseconds(1), .milliseconds(20))
    options.firstSnapshotTimeout = .seconds(20)
    return options
  }
}
