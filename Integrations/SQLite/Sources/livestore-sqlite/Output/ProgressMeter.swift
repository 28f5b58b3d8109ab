import Foundation
package import LiveStoreSQLite
import Synchronization

/// Shows how far a command is, in a line of a terminal that is erased at the end. A command that ends soon shows none.
///
/// State: what is guarded by `state`, which is held while the line is written, so that nothing is after the end.
package final class ProgressMeter: Sendable {
  private struct State {
    var progress: StoreFile.Progress?
    /// When the phase began.
    var start = Duration.zero
    /// When the line is due next.
    var next = ProgressMeter.delay
    var isShown = false
    var isOver = false
  }

  private let state = Mutex(State())
  private let lastPhase: StoreFile.Progress.Phase
  private let columns: @Sendable () -> Int
  private let clock: @Sendable () -> Duration
  private let write: @Sendable (String) -> Void

  /// How long a command runs before there is a line.
  package static let delay = Duration.milliseconds(500)
  /// The time between two lines.
  package static let pace = Duration.milliseconds(100)
  /// Deletes the line of the cursor.
  package static let erasure = "\r\u{1B}[K"

  /// A meter at the beginning.
  ///
  /// - Parameters:
  ///   - lastPhase: the phase with which the command ends, in which the time that is left can be said.
  ///   - columns: how wide the terminal is.
  ///   - clock: the time since the beginning.
  ///   - write: writes to the terminal, without waiting.
  package init(
    lastPhase: StoreFile.Progress.Phase, columns: @escaping @Sendable () -> Int,
    clock: @escaping @Sendable () -> Duration, write: @escaping @Sendable (String) -> Void
  ) {
    (self.lastPhase, self.columns, self.clock, self.write) = (lastPhase, columns, clock, write)
  }

  /// Takes in how far the command is.
  @Sendable package func update(_ progress: StoreFile.Progress) {
    state.withLock { state in
      // A phase that begins again begins at 0.
      if progress.phase != state.progress?.phase || progress.done < state.progress?.done ?? 0 {
        state.start = clock()
      }
      state.progress = progress
      show(&state)
    }
  }

  /// Shows the time that has passed, where nothing else changes.
  package func tick() { state.withLock { show(&$0) } }

  private func show(_ state: inout State) {
    let time = clock()
    guard !state.isOver, time >= state.next, let progress = state.progress else { return }
    state.next = time + Self.pace
    let line = ProgressLine(progress, time: time - state.start, isLast: progress.phase == lastPhase)
    // In the last column, some terminals begin a new line.
    write(Self.erasure + line.text(columns: columns() - 1))
    state.isShown = true
  }

  /// Erases the line, and shows none any more.
  package func finish() {
    state.withLock { state in
      if state.isShown { write(Self.erasure) }
      (state.isShown, state.isOver) = (false, true)
    }
  }

  /// Whether a meter may be shown.
  package static func isShown(isTerminal: Bool, _ environment: [String: String]) -> Bool {
    isTerminal && environment["TERM"] != "dumb"
  }
}

// MARK: Standard error

extension ProgressMeter {
  /// A meter on standard error; nil if that is no terminal, or one that cannot erase a line.
  static func onTerminal(lastPhase: StoreFile.Progress.Phase) -> ProgressMeter? {
    guard isShown(isTerminal: isatty(STDERR_FILENO) == 1, ProcessInfo.processInfo.environment) else {
      return nil
    }
    let start = ContinuousClock.now
    let meter = ProgressMeter(
      lastPhase: lastPhase, columns: { OutputWriter(descriptor: STDERR_FILENO).width ?? 80 },
      clock: { .now - start }, write: writeToTerminal)
    Task.detached { [weak meter] in
      while let meter, !meter.state.withLock({ $0.isOver }) {
        meter.tick()
        try await Task.sleep(for: .seconds(1))
      }
    }
    return meter
  }

  /// Writes to standard error, unless it takes nothing now.
  @Sendable private static func writeToTerminal(_ text: String) {
    var file = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    guard poll(&file, 1, 0) > 0 else { return }
    let bytes = Array(text.utf8)
    _ = Foundation.write(STDERR_FILENO, bytes, bytes.count)
  }
}
