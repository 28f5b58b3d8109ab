import Foundation
import LiveStore
import Synchronization

/// A live table on a terminal, drawn by a thread of its own.
///
/// The newest content waits in `state`, and replaces one that has not been drawn; so a slow terminal delays nothing and
/// makes nothing grow. Nothing else is shared: the screen and the terminal belong to the thread.
package final class TableDisplay: Sendable {
  private struct State {
    var rows: TableRows?
    var hasEnded = false
    var badLines = 0
    var progress: String?
    var isStopping = false
    var order: SortKey?
    var onOrder: (@Sendable () -> Void)?
    var keptLines: [String] = []
  }

  private let state = Mutex(State())
  private let isFinished = DispatchSemaphore(value: 0)
  private let title: String

  /// Takes over the terminal of the standard output.
  ///
  /// - Throws: if there is no terminal that can be drawn on.
  init(_ options: WatchOptions, isColored: Bool) throws(Exit) {
    let subject = options.demo ? "the most liked posts" : options.filter.map { "\($0)" }
    title = subject.map { "\($0): " } ?? ""
    guard let file = TerminalFile(of: STDOUT_FILENO) else {
      throw Exit(.outputFailed, "cannot draw on the terminal: \(String(cString: strerror(errno)))")
    }
    TerminalSignals.install()
    let size = TerminalFile.size(of: file.descriptor)
    let screen = TableScreen(
      size: size, columns: options.shownColumns, key: options.shownKey, chart: options.chart)
    let encoder = FrameEncoder(isColored: isColored)
    Thread.detachNewThread { [self] in
      var loop = TableLoop(file: file, screen: screen, encoder: encoder)
      let lines = loop.run(self)
      state.withLock { $0.keptLines = lines }
      isFinished.signal()
    }
  }

  /// Shows a result soon, unless a newer one comes first.
  package func show(_ rows: TableRows) {
    change { $0.rows = rows }
  }

  /// Shows that the input has ended.
  package func showEnd() {
    change { $0.hasEnded = true }
  }

  /// Shows that there was a bad line.
  package func countBadLine() {
    change { $0.badLines += 1 }
  }

  /// Shows how far reading has come, in a few words.
  package func show(progress: String?) {
    change { $0.progress = progress }
  }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { body(&$0) }
    TerminalSignals.post(TerminalSignals.wake)
  }

  /// The order of rows that was chosen last; nil is that of the query.
  package var order: SortKey? { state.withLock { $0.order } }

  /// Has a closure called when another order is chosen, until the display ends.
  package func onOrder(_ body: @escaping @Sendable () -> Void) {
    state.withLock { if !$0.isStopping { $0.onOrder = body } }
  }

  /// Ends the display, and returns what was on the screen, as text; the terminal is as it was when this returns.
  package func stop() -> [String] {
    change { ($0.isStopping, $0.onOrder) = (true, nil) }
    isFinished.wait()
    isFinished.signal()
    return state.withLock { $0.keptLines }
  }
}

extension TableDisplay {
  /// Whether the thread is to end.
  var isStopping: Bool { state.withLock { $0.isStopping } }

  /// Takes in the order that was chosen.
  func choose(_ order: SortKey?) {
    let onOrder = state.withLock { state in
      state.order = order
      return state.onOrder
    }
    onOrder?()
  }

  /// The newest rows, with a summary of them.
  var newest: (rows: TableRows, summary: String)? {
    state.withLock { state in
      guard let rows = state.rows else { return nil }
      let objects = "\(rows.count) object\(rows.count == 1 ? "" : "s")"
      var parts = ["\(title)\(objects)", "version \(rows.version)"]
      if let progress = state.progress { parts.append(progress) }
      if state.badLines > 0 { parts.append("\(state.badLines) bad line\(state.badLines == 1 ? "" : "s")") }
      if state.hasEnded { parts.append("end of input") }
      return (rows, parts.joined(separator: ", "))
    }
  }
}
