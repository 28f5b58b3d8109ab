import Foundation
import Subprocess

#if canImport(System)
  import System
#else
  import SystemPackage
#endif

extension Program {
  /// Runs the program with a pseudo-terminal as its standard error, and a pipe as its output, which is not read until the
  /// terminal shows something.
  ///
  /// - Parameter text: what the terminal is to show.
  /// - Returns: what was written to the terminal until then, and from then to the end.
  package func runOnTerminal(
    _ arguments: [String], environment: [String: String], until text: String
  ) async throws -> (before: String, after: String, result: Result) {
    let (terminal, slave) = try Self.openTerminal()
    defer { close(terminal) }
    let variables = environment.map { (Environment.Key(stringLiteral: $0), $1) }
    let result = try await Subprocess.run(
      executable, arguments: Arguments(arguments),
      environment: .custom(Dictionary(uniqueKeysWithValues: variables)), input: .none, output: .sequence,
      error: .fileDescriptor(FileDescriptor(rawValue: slave), closeAfterSpawningProcess: true)
    ) { execution in
      var shown: [UInt8] = []
      while !String(decoding: shown, as: UTF8.self).contains(text), Self.read(terminal, &shown) {
        await Task.yield()
      }
      var (output, buffers): ([UInt8], _) = ([], execution.standardOutput.makeAsyncIterator())
      while let buffer = try await buffers.next() { buffer.withUnsafeBytes { output += $0 } }
      return (shown, output)
    }
    let (shown, output) = result.closureResult
    var rest: [UInt8] = []
    while Self.read(terminal, &rest) {}
    let status: Int32? = if case .exited(let code) = result.terminationStatus { code } else { nil }
    return (
      String(decoding: shown, as: UTF8.self), String(decoding: rest, as: UTF8.self),
      Result(status: status, signal: nil, output: output, error: "")
    )
  }

  /// Runs the program with a pseudo-terminal of 80 columns as its output.
  ///
  /// - Returns: what was written to the terminal, besides what the program had for standard error.
  package func runWithOutputOnTerminal(
    _ arguments: [String], environment: [String: String]
  ) async throws -> (shown: String, result: Result) {
    let (terminal, slave) = try Self.openTerminal()
    defer { close(terminal) }
    let variables = environment.map { (Environment.Key(stringLiteral: $0), $1) }
    let result = try await Subprocess.run(
      executable, arguments: Arguments(arguments),
      environment: .custom(Dictionary(uniqueKeysWithValues: variables)), input: .none,
      output: .fileDescriptor(FileDescriptor(rawValue: slave), closeAfterSpawningProcess: true),
      error: .string(limit: 1 << 20)
    ) { _ in
      var shown: [UInt8] = []
      while Self.read(terminal, &shown) { await Task.yield() }
      return shown
    }
    let status: Int32? = if case .exited(let code) = result.terminationStatus { code } else { nil }
    return (
      String(decoding: result.closureResult, as: UTF8.self),
      Result(status: status, signal: nil, output: [], error: result.standardError)
    )
  }

  /// Makes a pseudo-terminal: the end that shows what is written, and the end for a process.
  private static func openTerminal() throws -> (terminal: Int32, slave: Int32) {
    var (master, slave): (Int32, Int32) = (-1, -1)
    guard openpty(&master, &slave, nil, nil, nil) == 0 else { throw NoTerminal(number: errno) }
    _ = fcntl(master, F_SETFD, FD_CLOEXEC)
    _ = fcntl(master, F_SETFL, O_NONBLOCK)
    return (master, slave)
  }

  private struct NoTerminal: Error {
    let number: Int32
  }

  /// Waits for what is written to a terminal; false if all have closed it.
  private static func read(_ terminal: Int32, _ bytes: inout [UInt8]) -> Bool {
    var state = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
    guard poll(&state, 1, 100) > 0 else { return true }
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = Foundation.read(terminal, &buffer, buffer.count)
    if count > 0 { bytes += buffer[..<count] }
    // The end of a terminal that all have closed is an error.
    return count > 0 || count < 0 && (errno == EAGAIN || errno == EINTR)
  }
}
