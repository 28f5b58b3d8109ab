import Foundation
import LiveStore
import LiveStoreServer
import Synchronization

/// Streams that a program follows in a process of its own: `follow.py`, or `follow.mjs`, which does as it does.
///
/// State: `reports`, what it wrote, guarded by its mutex.
final class PythonFollower: Sendable {
  /// A program, and what runs it.
  enum Program {
    case python, node

    var words: (interpreter: String, file: String) {
      self == .python ? ("python3", "follow.py") : ("node", "follow.mjs")
    }
  }

  struct Stream: Codable, Sendable {
    var target: String
    var mode: String
    var cuts = false
    var pause: Double?
  }

  /// What a stream had when it was up to date.
  struct Report: Sendable {
    let stream: Int
    let version: Version
    let rows: [StreamRows.Row]
  }

  private struct Task: Codable {
    let port: Int
    let seed: UInt64
    let client: String?
    let streams: [Stream]
  }

  private let process: Process
  private let input = Pipe()
  private let reports = Mutex<(all: [Report], error: String?)>(([], nil))

  /// - Parameters:
  ///   - program: what follows.
  ///   - client: the package that does what is HTTP; nil for the program itself.
  ///   - packages: where Python finds it.
  init(
    _ program: Program = .python, port: Int, seed: UInt64, client: String? = nil, packages: String? = nil,
    _ streams: [Stream]
  ) throws {
    let (process, output) = (Process(), Pipe())
    self.process = process
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let task = try JSONEncoder().encode(Task(port: port, seed: seed, client: client, streams: streams))
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      program.words.interpreter, folder.appending(path: program.words.file).path,
      String(decoding: task, as: UTF8.self),
    ]
    var environment = ProcessInfo.processInfo.environment
    if let packages { environment["PYTHONPATH"] = packages }
    process.environment = environment
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    let file = output.fileHandleForReading
    Thread.detachNewThread { [weak self] in
      var rest = Data()
      while case let data = file.availableData, !data.isEmpty {
        rest += data
        while let end = rest.firstIndex(of: 0x0A) {
          self?.take(String(decoding: rest[..<end], as: UTF8.self))
          rest = Data(rest[rest.index(after: end)...])
        }
      }
      self?.reports.withLock { $0.error = $0.error ?? "the process has ended" }
    }
  }

  /// Ends the process, and does not wait for it, which would block a thread of the pool. The end of its input alone may not
  /// reach it, since another child may have inherited the pipe.
  func end() { kill(process.processIdentifier, SIGKILL) }

  private func take(_ line: String) {
    do {
      let members = try decode([String: JSONValue].self, line)
      if let error = members["error"]?.text {
        throw Failure("stream \(members["stream"] ?? .null): \(error)")
      }
      guard case .array(let rows)? = members["rows"],
        let offset = StreamOffset(members["offset"]?.text ?? ""),
        let stream = Int("\(members["stream"] ?? .null)")
      else { throw Failure("this is no report: \(line)") }
      let report = Report(
        stream: stream, version: offset.version,
        rows: try rows.map { row in
          guard case .array(let parts) = row, parts.count == 2, let key = parts[0].text else {
            throw Failure("this is no row: \(row)")
          }
          return StreamRows.Row(key: key, value: parts[1])
        })
      reports.withLock { $0.all.append(report) }
    } catch {
      reports.withLock { $0.error = $0.error ?? "\(error)" }
    }
  }

  /// The reports so far.
  ///
  /// - Throws: what went wrong in the process.
  func all() throws -> [Report] {
    let (all, error) = reports.withLock { $0 }
    if let error { throw Failure(error) }
    return all
  }

  /// Waits until some streams have been up to date at a version or a later one, at most a minute.
  func reach(_ version: Version, _ streams: some Collection<Int> & Sendable) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while true {
      let all = try all()
      let missing = streams.filter { stream in !all.contains { $0.stream == stream && $0.version >= version }
      }
      if missing.isEmpty { return }
      if ContinuousClock.now > end { throw Failure("the streams \(missing) do not reach version \(version)") }
      try await _Concurrency.Task.sleep(for: .milliseconds(2))
    }
  }
}
