import Foundation
import Synchronization

/// Shows how far reading has come, at most as often as its form allows.
///
/// Reading never waits for it: a report is skipped while another is shown, or while the output has the terminal.
///
/// State: what is guarded by `state`, and `badLines`. Everything else is a constant.
package final class ProgressMeter: Sendable {
  /// Where reports are shown.
  package enum Form: Sendable {
    /// In a line of a terminal, which each report replaces; `columns` is its width.
    case line(columns: @Sendable () -> Int)
    /// As lines of their own.
    case log
    /// In a place that has room for a few words; nil is the end.
    case words(@Sendable (String?) -> Void)

    /// The time between two reports.
    package var pace: Duration {
      switch self {
      case .line, .words: .milliseconds(100)
      case .log: .seconds(5)
      }
    }
  }

  private struct State {
    var report: ProgressReport
    /// When the next report is due.
    var next: Duration
    /// The line that is on the terminal; nil if there is none.
    var shown: String?
    var hasLogged = false
  }

  private let state: Mutex<State>
  private let badLines = Atomic(0)
  private let form: Form
  /// Whether nothing is left of it at the end.
  private let isTemporary: Bool
  private let clock: @Sendable () -> Duration
  private let write: @Sendable (String) -> Void

  /// Deletes the line of the cursor.
  private static let erasure = "\r\u{1B}[K"

  /// A meter at the beginning.
  ///
  /// - Parameters:
  ///   - total: how many bytes there are to read; nil if that is not known.
  ///   - isTemporary: whether it appears after a second, and leaves nothing at the end.
  ///   - clock: the time since the beginning.
  ///   - write: writes to where the reports are shown, without waiting.
  package init(
    total: Int?, form: Form, isTemporary: Bool = false, clock: @escaping @Sendable () -> Duration,
    write: @escaping @Sendable (String) -> Void
  ) {
    (self.form, self.isTemporary, self.clock, self.write) = (form, isTemporary, clock, write)
    let first = isTemporary ? max(form.pace, .seconds(1)) : form.pace
    state = Mutex(State(report: ProgressReport(total: total), next: first))
  }

  /// Takes in how much has been read by now, and shows it if a report is due.
  package func update(lines: Int, bytes: Int) {
    state.withLockIfAvailable { state in
      let time = clock()
      guard time >= state.next, !state.report.isOver else { return }
      state.next = time + form.pace
      (state.report.lines, state.report.bytes, state.report.time) = (lines, bytes, time)
      show(&state)
    }
  }

  /// Counts a bad line, for the next report.
  package func countBadLine() { badLines.add(1, ordering: .relaxed) }

  /// Shows how much has been read in the end, and leaves that.
  package func finish(lines: Int, bytes: Int) {
    state.withLock { state in
      if state.report.isOver { return }
      if isTemporary {
        if state.shown != nil { write(Self.erasure) }
        (state.report.isOver, state.shown) = (true, nil)
        return
      }
      (state.report.lines, state.report.bytes, state.report.time) = (lines, bytes, clock())
      state.report.isOver = true
      show(&state)
    }
  }

  /// Calls a closure that writes to the same terminal, while the line is not there.
  package func hidden<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
    try state.withLock { (state) throws(Failure) in
      if state.shown != nil { write(Self.erasure) }
      defer { if let line = state.shown { write(line) } }
      try body()
    }
  }

  private func show(_ state: inout State) {
    state.report.badLines = badLines.load(ordering: .relaxed)
    let report = state.report
    switch form {
    case .line(let columns):
      // In the last column, some terminals begin a new line.
      let line = report.line(columns: columns() - 1)
      write(Self.erasure + line + (report.isOver ? "\n" : ""))
      state.shown = report.isOver ? nil : line
    case .log:
      // A run that was too short for a report needs none of its end.
      if !report.isOver || state.hasLogged { write(Help.line(report.text) + "\n") }
      state.hasLogged = true
    case .words(let show): show(report.isOver ? nil : report.shortText)
    }
  }
}
