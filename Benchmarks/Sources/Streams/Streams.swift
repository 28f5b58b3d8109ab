import ArgumentParser
import Foundation
import LiveStore
import LiveStoreServer
import Logging

/// Measures what many clients of a server cost, and what they get.
@main
struct Streams: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures a server of live queries with many clients, which are a process of their own.",
    subcommands: [Live.self, Whole.self, Clients.self], defaultSubcommand: Live.self)
}

/// A row of what is streamed.
struct Reading: Entity, Codable {
  var id: Int
  var group: Int
  var name: String
  /// When it was written, in nanoseconds of the clock that all processes share.
  var at: Int

  static let schema = Schema<Reading> {
    Property(\.group, .indexed)
    Property(\.name)
    Property(\.at, .indexed)
  }
}

/// Writes at a steady rate, with live streams of server-sent events.
struct Live: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes at a steady rate while clients follow, and shows how long delivery takes.")

  @Option(help: "How many clients.")
  var clients = 1_000

  @Option(help: "How many different queries they have.")
  var queries = 1

  @Option(help: "How many rows each query has.")
  var rows = 200

  @Option(help: "Writes a second.")
  var writes = 500

  @Option(help: "For how long, in seconds.")
  var seconds = 20

  func run() async throws {
    let (store, alone) = (try Store(Reading.self), try Store(Reading.self))
    let groups = queries
    let count = queries * rows
    for store in [store, alone] {
      try await store.write { tx in
        try tx.insert(
          contentsOf: (0..<count).map { Reading(id: $0, group: $0 % groups, name: "Reading \($0)", at: 0) })
      }
    }
    let server = try StoreServer(store, logger: .silent) {
      Expose(Reading.self, fields: [\.group, \.name, \.at])
    }
    let writer = Writer(followed: store, alone: alone, rows: count, rate: writes)
    try await server.whileRunning { port in
      let child = try ClientProcess(port: port, clients: clients, queries: queries)
      try await child.ready()
      let before = residentMegabytes()
      let costs = try await writer.run(seconds: seconds) { second in
        guard second % 10 == 0 else { return }
        print("  \(second) s: \(residentMegabytes()) MB")
      }
      print(costs)
      print("resident: \(before) MB before, \(residentMegabytes()) MB after")
      print(try await child.finish(seconds: Double(seconds)))
    }
  }
}

/// Reads windows and all of a large entity.
struct Whole: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "How long a client waits for its first window, and for all rows, of a large entity.")

  @Option(help: "How many rows the entity has.")
  var rows = 1_000_000

  @Flag(help: "Whole objects, as followers get them, instead of fields.")
  var objects = false

  func run() async throws {
    let store = try Store(Reading.self)
    let rows = rows
    try await store.write { tx in
      try tx.insert(
        contentsOf: (0..<rows).lazy.map { Reading(id: $0, group: $0 % 33, name: "Reading \($0)", at: $0) })
    }
    let objects = objects
    let server = try StoreServer(store, logger: .silent) {
      if objects {
        Expose(Reading.self, filtering: [\.group, \.at])
      } else {
        Expose(Reading.self, fields: [\.group, \.name, \.at])
      }
    }
    try await server.whileRunning { port in
      for (name, target) in [
        ("first window, newest", "/streams/Reading?sort=at:desc&limit=20"),
        ("first window of a filter", "/streams/Reading?where=group%20%3D%3D%207&sort=at:desc&limit=20"),
        ("all rows", "/streams/Reading"),
      ] {
        var times: [Double] = []
        var size = 0
        for _ in 0..<5 {
          let start = ContinuousClock.now
          size = try await HTTPClient.size(of: target, port: port)
          times.append((ContinuousClock.now - start) / .milliseconds(1))
        }
        print("\(name): \(String(format: "%.1f", times.sorted()[2])) ms, \(size) bytes")
      }
    }
  }
}

extension Logger {
  static var silent: Logger { Logger(label: "streams") { _ in SwiftLogNoOpLogHandler() } }
}

extension StoreServer {
  /// Serves on a free port while a body runs.
  func whileRunning(_ body: (_ port: Int) async throws -> Void) async throws {
    let (ports, source) = AsyncStream<Int>.makeStream()
    let running = Task {
      defer { source.finish() }
      try await run(on: .loopback(port: 0)) { source.yield($0 ?? 0) }
    }
    defer { running.cancel() }
    guard let port = await ports.first(where: { _ in true }) else { return try await running.value }
    try await body(port)
  }
}

/// Megabytes of memory that this process has in use; 0 where the system has no file that says so.
func residentMegabytes() -> Int {
  guard let status = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
  let fields = status.split(separator: " ")
  return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4_096 / 1_000_000 : 0
}
