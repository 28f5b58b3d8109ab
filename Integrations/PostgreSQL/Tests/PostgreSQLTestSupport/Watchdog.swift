import Foundation
import LiveStore
import Synchronization

/// A process that runs a script when this process ends, however it ends, or earlier.
package final class Watchdog: Sendable {
  private let process: ChildProcess
  /// The end of the pipe whose closing starts the script; nil once it is closed.
  private let lifeline: Mutex<Int32?>

  /// - Parameters:
  ///   - script: for `/bin/sh`.
  ///   - parameters: its `$1`, `$2` …
  package init(_ script: String, _ parameters: [String]) throws {
    var ends: [Int32] = [0, 0]
    if pipe(&ends) != 0 { throw Mismatch("no pipe can be made") }
    // No other child keeps the pipe open.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    // A line in place of the end of the input is a dismissal.
    process = try ChildProcess(
      "/bin/sh", ["-c", "read -r line && exit; \(script)", "watchdog"] + parameters, input: ends[0],
      output: "/dev/null")
    lifeline = Mutex(ends[1])
  }

  deinit { _ = closeLifeline() }

  /// Runs the script now, and blocks until it has ended.
  package func run() {
    if closeLifeline() { process.wait() }
  }

  /// Ends the watchdog without the script.
  package func dismiss() {
    if closeLifeline("\n") { process.wait() }
  }

  /// False if it was closed before.
  private func closeLifeline(_ last: String = "") -> Bool {
    lifeline.withLock { lifeline in
      guard let descriptor = lifeline else { return false }
      _ = last.withCString { write(descriptor, $0, strlen($0)) }
      close(descriptor)
      lifeline = nil
      return true
    }
  }
}
