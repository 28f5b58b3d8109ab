import Foundation
import LiveStore
import TestSupport
import Testing
import livestore_watch

/// The built tool, run as a process.
enum Tool {
  /// What a run of the tool left behind.
  struct Run {
    let status: Int32
    let output: String
    let errors: String

    /// The lines of the output.
    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// Where the tool is: beside the bundle of the tests.
  static func executable() throws -> URL {
    let bundle = CommandLine.arguments.lazy.map { URL(fileURLWithPath: $0) }
      .compactMap { url in Self.ancestors(of: url).first { $0.pathExtension == "xctest" } }.first
    let folder = try #require(
      bundle ?? Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" })
    return folder.deletingLastPathComponent().appendingPathComponent("livestore-watch")
  }

  private static func ancestors(of url: URL) -> [URL] {
    sequence(first: url) { $0.pathComponents.count > 1 ? $0.deletingLastPathComponent() : nil }.map { $0 }
  }

  #if os(Linux)
    /// Whether tests and tool were built with a sanitizer, with which a process takes more memory.
    static let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
  #else
    static let isSanitized = false
  #endif

  /// Runs the tool to its end, with standard input from a text.
  ///
  /// - Parameters:
  ///   - megabytes: how much memory it may have, on Linux; with more it ends with an error.
  ///   - closing: what a shell closes for it, `<&-`.
  static func run(
    _ arguments: [String], input: String = "", in folder: String? = nil, upTo megabytes: Int? = nil,
    closing: String? = nil
  ) throws -> Run {
    let files = TemporaryFiles()
    let (input, output, errors) = (try files.file(input), try files.file(""), try files.file(""))
    let process = Process()
    process.executableURL = try executable()
    process.arguments = arguments
    if let megabytes {
      process.executableURL = URL(fileURLWithPath: "/bin/bash")
      let command = "ulimit -d \(megabytes * 1024) && exec \"$0\" \"$@\""
      process.arguments = ["-c", command, try executable().path] + arguments
    }
    if let closing {
      process.executableURL = URL(fileURLWithPath: "/bin/bash")
      let command = "exec \"$0\" \"$@\" \(closing)"
      process.arguments = ["-c", command, try executable().path] + arguments
    }
    process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: input))
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errors))
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    try process.run()
    // A tool that waits for itself would wait for ever, and a defect may keep it from ending by itself.
    let end = DispatchWorkItem { kill(process.processIdentifier, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 300, execute: end)
    process.waitUntilExit()
    end.cancel()
    return Run(
      status: process.terminationStatus, output: try String(contentsOfFile: output, encoding: .utf8),
      errors: try String(contentsOfFile: errors, encoding: .utf8))
  }
}

/// A run of the tool that receives input while it runs.
final class Conversation {
  private let process = Process()
  private let input = PrivatePipe()
  private let output: PrivatePipe
  private let errors = PrivatePipe()
  private var received = ""

  /// - Parameter hangsUp: whether ``hangUp()`` is called.
  init(_ arguments: [String], hangsUp: Bool = false) throws {
    // Otherwise `say` ends the tests if the tool has ended.
    signal(SIGPIPE, SIG_IGN)
    output = PrivatePipe(hangsUp: hangsUp)
    process.executableURL = try Tool.executable()
    process.arguments = arguments
    process.standardInput = input.reading
    process.standardOutput = output.writing
    process.standardError = errors.writing
    try process.run()
    // The tool has them alone, so that its end is theirs.
    for end in [input.reading, output.writing, errors.writing] { try end.close() }
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// Writes to the tool's standard input.
  func say(_ text: String) throws {
    try input.writing.write(contentsOf: Data(text.utf8))
  }

  /// Reads the tool's output until it ends with a line, in large pieces.
  func skip(to line: String) throws {
    var last = ""
    while last != line + "\n" {
      let bytes = try readOutput()
      if bytes.isEmpty { throw EndOfOutput() }
      last = String((last + String(decoding: bytes, as: UTF8.self)).suffix(line.count + 1))
    }
  }

  /// Reads lines of the tool's output, in large pieces.
  func skip(lines count: Int) throws {
    var rest = count
    while rest > 0 {
      let bytes = try readOutput()
      if bytes.isEmpty { throw EndOfOutput() }
      rest -= bytes.count { $0 == 0x0A }
    }
  }

  private struct EndOfOutput: Error {}

  private func readOutput() throws -> [UInt8] {
    try Waiting.read(output.reading.fileDescriptor, "the output of the tool")
  }

  /// Waits for a line of the tool's output.
  func line() throws -> String? {
    while true {
      if let end = received.firstIndex(of: "\n") {
        defer { received = String(received[received.index(after: end)...]) }
        return String(received[..<end])
      }
      let bytes = try readOutput()
      if bytes.isEmpty { return nil }
      received += String(decoding: bytes, as: UTF8.self)
    }
  }

  /// Sends SIGINT.
  func interrupt() {
    process.interrupt()
  }

  /// Waits until all threads of the tool wait for something, where the system shows what they do.
  func waitUntilIdle() {
    let tasks = "/proc/\(process.processIdentifier)/task"
    let end = ContinuousClock.now + Waiting.limit
    func isRunning(_ task: String) -> Bool {
      (try? String(contentsOfFile: "\(tasks)/\(task)/stat", encoding: .utf8))?.contains(") R ") == true
    }
    while let threads = try? FileManager.default.contentsOfDirectory(atPath: tasks),
      threads.contains(where: isRunning), .now < end
    {}
  }

  /// Lets the tool see what is done as if it were done at once.
  func whileSuspended(_ body: () throws -> Void) rethrows {
    kill(process.processIdentifier, SIGSTOP)
    defer { kill(process.processIdentifier, SIGCONT) }
    try body()
  }

  /// Sends SIGTERM.
  func terminate() {
    process.terminate()
  }

  /// The most memory that the tool has had, in megabytes; nil where the system does not report it.
  func peakMemory() -> Int? {
    let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").compactMap { Int($0) }.first.map { $0 / 1_024 }
  }

  /// Ends the tool's standard input.
  func finish() throws {
    try input.writing.close()
  }

  /// Stops reading the tool's output.
  func hangUp() throws {
    try output.hangUp()
  }

  /// Waits for the end of the tool: its status and what it wrote to standard error.
  func end() throws -> (status: Int32, errors: String) {
    let text = try Waiting.readToEnd(errors.reading.fileDescriptor, "the standard error of the tool")
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }
}
