import Foundation
import LiveStore
import LiveStoreServer
import Testing

@Suite("The dashboard")
struct DashboardTests {
  @Test(
    "is stopped and started again, and a client goes on by what has changed; after a crash it gets all rows")
  func restart() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "dashboard-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "sales.db").path

    let first = try DashboardProcess(file)
    var (sales, totals) = (StreamRows(), StreamRows())
    let url = try await first.line()
    for (number, line) in ["tea 3", "cake 5", "tea 4"].enumerated() {
      try first.say(line)
      #expect(try await first.line() == "sale \(number + 1) is in the file")
    }
    let streams = ["/streams/Sale?sort=id:desc&limit=2&offset=", "/streams/Total?sort=amount:desc&offset="]
    let before = try await streams.asyncMap { try await Self.get($0 + "-1", url) }
    try sales.apply(before[0].messages)
    try totals.apply(before[1].messages)
    #expect(sales.rows.map(\.key) == ["3", "2"])
    #expect(totals.rows.map(\.key) == ["tea", "cake"])
    first.end(by: SIGTERM)

    let second = try DashboardProcess(file)
    let next = try await second.line()
    try second.say("cake 9")
    #expect(try await second.line() == "sale 4 is in the file")
    let after = [
      try await Self.get(streams[0] + before[0].nextOffset, next),
      try await Self.get(streams[1] + before[1].nextOffset, next),
    ]
    // No mark of a snapshot, and nothing that has not changed.
    #expect(try after[0].messages.map(\.headers.operation) == [.delete, .insert])
    #expect(try after[1].messages.map(\.headers.operation) == [.update])
    try sales.apply(after[0].messages)
    try totals.apply(after[1].messages)
    #expect(sales.rows.map(\.key) == ["4", "3"])
    #expect(totals.rows.map(\.key) == ["cake", "tea"])
    #expect(totals.rows.map { $0.value["amount"] } == [14, 7])
    let page = try await Self.get("/", next)
    #expect(page.status == 200 && page.body.contains("/streams/livestore.js"))
    // A crash may have taken versions that clients had seen, so none of them is continued.
    second.end(by: SIGKILL)
    let third = try DashboardProcess(file)
    let last = try await Self.get(streams[1] + after[1].nextOffset, try await third.line())
    #expect(try last.messages.first?.headers.control == .reset)
    let known = totals.rows
    try totals.apply(last.messages)
    #expect(totals.rows == known)
    third.end(by: SIGTERM)
  }

  private static func get(_ target: String, _ url: String) async throws -> Reply {
    let port = try #require(URL(string: url)?.port)
    return try await onThread {
      let connection = try RawConnection(port: port)
      connection.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      return try connection.reply()
    }
  }
}

extension Array {
  fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async throws -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await transform(element)) }
    return values
  }
}

/// The program in a process of its own, for at most a minute.
private final class DashboardProcess: Sendable {
  private let process = Process()
  private let (input, output) = (Pipe(), Pipe())

  init(_ file: String) throws {
    signal(SIGPIPE, SIG_IGN)
    let paths = CommandLine.arguments.map { URL(filePath: $0) } + Bundle.allBundles.map(\.bundleURL)
    let programs = paths.map { $0.deletingLastPathComponent().appending(path: "dashboard") }
    guard let program = programs.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) })
    else {
      throw Failure("the dashboard was not built")
    }
    process.executableURL = program
    process.arguments = [file, "0"]
    (process.standardInput, process.standardOutput) = (input, output)
    process.standardError = FileHandle.nullDevice
    try process.run()
    let id = process.processIdentifier
    DispatchQueue.global().asyncAfter(deadline: .now() + 60) { [weak self] in
      if self != nil { kill(id, SIGKILL) }
    }
  }

  deinit { end(by: SIGKILL) }

  func end(by signal: Int32) {
    if process.isRunning { kill(process.processIdentifier, signal) }
    process.waitUntilExit()
  }

  func say(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

  /// The next line of its output, but for those of a log.
  func line() async throws -> String {
    try await onThread { [output] in
      var line = Data()
      while let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
        if byte.first == 0x0A {
          let text = String(decoding: line, as: UTF8.self)
          if text.hasPrefix("http:") || text.hasPrefix("sale ") { return text }
          line = Data()
        } else {
          line += byte
        }
      }
      throw Failure("the dashboard has ended")
    }
  }
}
