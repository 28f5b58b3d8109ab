import FlyingFox
import FlyingSocks
import Foundation
import LiveStore
import LiveStorePostgreSQL

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
    // Nothing reads past commits, so that memory holds the newest rows and those that clients have.
    options.store.historyCommits = 0
    let replica = try await PostgresReplica.start(
      arguments.connectionString, publication: arguments.publication, options: options
    ) {
      Replicated("posts", Post.self, columns: .snakeCase)
      Local(ServiceStatus.self)
    }
    let service = FeedService(replica: replica, streams: StreamLimit(arguments.streams))
    let server = try await service.server(port: arguments.port)
    let signals = Signals()
    defer { withExtendedLifetime(signals) {} }
    let numbers = signals.numbers
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await StatusReporter(replica: replica, interval: arguments.heartbeat).run() }
      group.addTask { try await server.run() }
      group.addTask {
        try await server.waitUntilListening()
        if case .ip4(let host, port: let port) = await server.listeningAddress {
          log("The service knows no users: all programs of this machine can read and write the feed.")
          print("http://\(host):\(port)/")
          // Whoever waits for the line may read from a pipe.
          fflush(nil)
        }
        for await _ in numbers { return }
      }
      let outcome = await group.nextResult()
      // Closing the store ends the streams of events; only then can the server finish its connections. It always
      // takes the whole time: on Linux, closing the socket that it listens on does not wake it.
      await replica.close()
      await server.stop(timeout: 0.25)
      group.cancelAll()
      try outcome?.get()
    }
  }
}

/// Writes a line to standard error.
func log(_ line: String) { FileHandle.standardError.write(Data("live-feed: \(line)\n".utf8)) }
