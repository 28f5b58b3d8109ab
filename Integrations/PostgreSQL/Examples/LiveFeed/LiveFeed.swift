import Foundation
import Hummingbird
import LiveStore
import LiveStorePostgreSQL
import LiveStoreServer
import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

/// A service that shows a table of PostgreSQL live in browsers.
///
/// Each process of it is a replica of its own: any number can stand behind a load balancer, and a write through one is
/// seen by the clients of all.
@main
struct LiveFeed {
  static func main() async {
    do {
      try await run(
        try Arguments(
          Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment))
    } catch {
      log("\(error)")
      exit(error is UsageError ? 2 : 1)
    }
  }

  /// Serves until a signal asks to end.
  private static func run(_ arguments: Arguments) async throws {
    var options = PostgresReplica.Options()
    options.applicationName = "live-feed"
    // Browsers wait for the database to be back: so look often.
    options.maximumBackoff = .seconds(2)
    // Clients that come back after more commits get all rows, of which there are not many.
    options.store.historyCommits = 50
    let replica = try await PostgresReplica.start(
      arguments.connectionString, publication: arguments.publication, options: options
    ) {
      Replicated("posts", Post.self, columns: .snakeCase)
      Local(ServiceStatus.self)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await replica.reportStatus() }
      try await serve(replica, arguments)
      await replica.close()
      group.cancelAll()
    }
  }

  private static func serve(_ replica: PostgresReplica, _ arguments: Arguments) async throws {
    let logger = Logger(label: "live-feed") { _ in SwiftLogNoOpLogHandler() }
    var configuration = ServerConfiguration()
    configuration.limits.streams = arguments.streams
    configuration.limits.bookmarkInterval = arguments.heartbeat
    configuration.limits.rows = 100
    let server = try StoreServer(replica.store, configuration: configuration, logger: logger) {
      Expose(Post.self, fields: [\.author, \.title, \.likeCount, \.createdAt])
      Expose(ServiceStatus.self, fields: [\.state])
    }
    let router = Router()
    router.add(middleware: Refusals())
    server.addRoutes(to: router)
    FeedRoutes(replica: replica, server: server).add(to: router)
    // The service knows no users, so it listens on this machine alone: a proxy that does should stand before it.
    let app = Application(
      router: router,
      configuration: ApplicationConfiguration(
        address: .hostname("127.0.0.1", port: Int(arguments.port))),
      onServerRunning: { channel in
        log("The service knows no users: all programs of this machine can read and write the feed.")
        print("http://127.0.0.1:\(channel.localAddress?.port ?? 0)/")
        // Whoever waits for the line may read from a pipe.
        fflush(nil)
      },
      logger: logger)
    var services = ServiceGroupConfiguration(
      services: [app], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    // A client that reads nothing does not hold up the end.
    services.maximumGracefulShutdownDuration = .seconds(2)
    try await ServiceGroup(configuration: services).run()
  }
}

/// Writes a line to standard error.
func log(_ line: String) { FileHandle.standardError.write(Data("live-feed: \(line)\n".utf8)) }
