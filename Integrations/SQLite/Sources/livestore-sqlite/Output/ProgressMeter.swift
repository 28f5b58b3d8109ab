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
  private let isFree: @Sendable () -> Bool
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
  ///   - isFree: whether the terminal takes lines of this process now; while it does not, none is written.
  ///   - write: writes to the terminal, without waiting.
  package init(
    lastPhase: StoreFile.Progress.Phase, columns: @escaping @Sendable () -> Int,
    clock: @escaping @Sendable () -> Duration, isFree: @escaping @Sendable () -> Bool = { true },
    write: @escaping @Sendable (String) -> Void
  ) {
    (self.lastPhase, self.columns, self.clock) = (lastPhase, columns, clock)
    (self.isFree, self.write) = (isFree, write)
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
    guard isFree() else { return }
    let line = ProgressLine(progress, time: time - state.start, isLast: progress.phase == lastPhase)
    // In the last column, some terminals begin a new line.
    write(Self.erasure + line.text(columns: columns() - 1))
    state.isShown = true
  }

  /// Erases the line, and shows none any more.
  package func finish() {
    state.withLock { state in
      if state.isShown, isFree() { write(Self.erasure) }
      (state.isShown, state.isOver) = (false, true)
    }
  }

  /// Whether a terminal takes lines of this process now. Those of a job in the background would be among those of
  /// another, and a program that reads single keys, as a pager at the end of a pipe does, has the screen for itself.
  /// A pipe alone is no reason for silence, as with `pv` and `curl`: what reads it may take as long.
  package static func isFree(_ terminal: CInt) -> Bool {
    var mode = termios()
    guard tcgetattr(terminal, &mode) == 0, mode.c_lflag & tcflag_t(ICANON) != 0 else { return false }
    // A terminal that does not control this process has no group to ask for.
    let foreground = tcgetpgrp(terminal)
    return foreground < 0 || foreground == getpgrp()
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
      clock: { .now - start }, isFree: { isFree(STDERR_FILENO) }, write: writeToTerminal)
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
