package import Foundation
package import LiveStore
import Synchronization

/// Runs the command of `--exec` for the versions of a result, one command after another.
///
/// The newest result waits in `state`, and replaces one whose changes no command has been given. So a command that is
/// slower than the input gets the changes of several versions together, and nothing grows.
package final class CommandRunner: Sendable {
  private struct State {
    /// The result up to which commands have been given the changes; nil before the first.
    var given: Results<Document>?
    /// A newer result.
    var newest: Results<Document>?
    var isStopped = false
    var (runs, failures) = (0, 0)
  }

  private let state = Mutex(State())
  /// Runs commands; what waits there is at most a run of one, and callers of `finish`.
  private let queue = DispatchQueue(label: "commands")
  private let command: String
  private let projection: Projection
  private let isOnce: Bool
  private let isSilent: Bool
  private let clock: (@Sendable () -> Date)?
  private let report: @Sendable (String) -> Void

  /// How many failures are reported one by one.
  private static let limit = 5

  /// A runner of a command that has not run yet.
  ///
  /// - Parameters:
  ///   - projection: what is given of an object.
  ///   - isOnce: whether the command is given the objects of a result, instead of changes.
  ///   - isSilent: whether what it prints is discarded.
  ///   - clock: the time to give with each version; nil gives none.
  ///   - report: called with a sentence for each of the first commands that fail.
  package init(
    _ command: String, projection: Projection = Projection(), isOnce: Bool = false, isSilent: Bool = false,
    clock: (@Sendable () -> Date)? = nil, report: @escaping @Sendable (String) -> Void
  ) {
    (self.command, self.projection, self.isOnce) = (command, projection, isOnce)
    (self.isSilent, self.clock, self.report) = (isSilent, clock, report)
  }

  /// Takes in a result, and runs the command for its changes when the one before has ended.
  package func offer(_ results: Results<Document>) {
    let isWaiting = state.withLock { state in
      defer { state.newest = results }
      return state.newest != nil
    }
    if !isWaiting { queue.async { self.runNewest() } }
  }

  /// Waits until commands have been given the changes of the newest result, and have ended; once stopped, for the end
  /// of the one that runs.
  package func finish() async {
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
  }

  /// Runs no command after the one that runs.
  package func stop() {
    state.withLock { $0.isStopped = true }
  }

  /// The end of the tool: another status if a command has failed, and nothing else has.
  package func exit(_ end: Exit) -> Exit {
    let (runs, failures) = state.withLock { ($0.runs, $0.failures) }
    if failures == 0 { return end }
    let line = Help.line("--exec: \(failures) of \(runs) command\(runs == 1 ? "" : "s") failed")
    let status = end.status == .success ? .commandFailed : end.status
    return Exit(status, end.message, details: end.details).adding([line])
  }
}

extension CommandRunner {
  /// Runs the command for the changes up to the newest result.
  private func runNewest() {
    let results = state.withLock { state -> (old: Results<Document>?, new: Results<Document>)? in
      guard let newest = state.newest, !state.isStopped, !Interrupts.isInterrupted else { return nil }
      defer { (state.given, state.newest) = (newest, nil) }
      return (state.given, newest)
    }
    guard let (old, new) = results else { return }
    let time = clock.map { ResultPrinter.text(of: $0()) }
    let input =
      isOnce ? CommandInput(new, projection) : CommandInput(from: old, to: new, projection, time: time)
    // Without a line there is nothing to say.
    guard let first = input.lines.next() else { return }
    var isFirst = true
    let lines = AnyIterator {
      defer { isFirst = false }
      return isFirst ? first : input.lines.next()
    }
    run(lines, input)
  }

  private func run(_ lines: AnyIterator<[UInt8]>, _ input: CommandInput) {
    let environment = ["LIVESTORE_VERSION": "\(input.version)", "LIVESTORE_COUNT": "\(input.count)"]
    state.withLock { $0.runs += 1 }
    do throws(CommandFailure) {
      var process = try CommandProcess(command, environment: environment, isSilent: isSilent)
      process.feed(lines)
      switch process.finish() {
      case .status(0), .interrupted: break
      case .status(let status): fail("the command ended with status \(status)", input.version)
      case .signal(let number): fail("the command was ended by signal \(number)", input.version)
      }
    } catch {
      fail(error.message, input.version)
    }
  }

  private func fail(_ message: String, _ version: UInt64) {
    let failures = state.withLock { state in
      state.failures += 1
      return state.failures
    }
    if failures <= Self.limit { report(Help.line("--exec: \(message) at version \(version)")) }
    if failures == Self.limit + 1 { report(Help.line("--exec: further failures are only counted")) }
  }
}
