import Foundation
import PostgreSQLTestSupport

/// A program that a test runs, which ends with the test's process, however that ends.
final class GuardedProcess: Sendable {
  private let process: ChildProcess
  private let watchdog: Watchdog
  /// How the process ended.
  private let end: Worker<ChildProcess.End>
  /// What it writes; for one reader.
  private let lines: AsyncStream<String>

  /// - Parameters:
  ///   - cleanUp: a script of `/bin/sh` for the case that the test's process ends first. Its `$1` is the identifier of
  ///     the process, which is also that of its group.
  init(_ path: String, _ arguments: [String], cleanUp: String = "kill $1") throws {
    let pipe = Pipe()
    let process = try ChildProcess(
      path, arguments, output: "/dev/fd/\(pipe.fileHandleForWriting.fileDescriptor)")
    // With this end open, the output would not end with the process.
    try pipe.fileHandleForWriting.close()
    self.process = process
    watchdog = try Watchdog(cleanUp, ["\(process.id)"])
    end = Worker { process.wait() }
    let (lines, continuation) = AsyncStream.makeStream(of: String.self)
    self.lines = lines
    let output = pipe.fileHandleForReading
    Thread.detachNewThread {
      var bytes = Data()
      while case let more = output.availableData, !more.isEmpty {
        bytes += more
        while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
          continuation.yield(String(decoding: bytes[..<end], as: UTF8.self))
          bytes = Data(bytes[(end + 1)...])
        }
      }
      continuation.finish()
    }
  }

  /// The identifier of the process.
  var id: Int32 { process.id }

  /// Waits for a line of output, and gives those before it, too.
  func firstMatch<Output>(of regex: Regex<Output>) async throws -> (Regex<Output>.Match, others: [String]) {
    var others: [String] = []
    for await line in lines {
      if let match = try regex.firstMatch(in: line) { return (match, others) }
      others.append(line)
    }
    try Task.checkCancellation()
    throw Mismatch("The process ended with \(try await end.value()): \(others.joined(separator: "\n"))")
  }

  /// Asks the process to end by a signal, unless it has ended, and gives how it ended.
  ///
  /// After 20 seconds it is killed.
  @discardableResult func stop(_ signal: Int32 = SIGTERM) async throws -> ChildProcess.End {
    watchdog.dismiss()
    if !end.isFinished { process.send(signal) }
    let kill = DispatchWorkItem { [process, end] in if !end.isFinished { process.send(SIGKILL) } }
    DispatchQueue.global().asyncAfter(deadline: .now() + 20, execute: kill)
    defer { kill.cancel() }
    return try await end.value()
  }
}
