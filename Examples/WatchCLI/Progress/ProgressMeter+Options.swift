import Foundation

extension ProgressMeter {
  /// A meter as the options ask for. If they do not, one of files that appears on a terminal where reading takes longer than a
  /// second, and disappears; nil if there is none.
  convenience init?(_ options: WatchOptions, display: TableDisplay?) {
    let isTerminal = isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    // A file that is followed has no end.
    let total = options.isFollowing ? nil : InputFile.size(of: options.inputFiles)
    let isAsked = options.showsProgress
    guard isAsked || isTerminal && !options.isQuiet && display == nil && total != nil else { return nil }
    let form: Form =
      if let display {
        .words { display.show(progress: $0) }
      } else if isTerminal {
        .line { TerminalFile.size(of: STDERR_FILENO).columns }
      } else {
        .log
      }
    let start = ContinuousClock.now
    self.init(total: total, form: form, isTemporary: !isAsked, clock: { .now - start }, write: Self.write)
  }

  /// Writes to standard error, unless it takes nothing now.
  @Sendable private static func write(_ text: String) {
    var file = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    guard poll(&file, 1, 0) > 0 else { return }
    let bytes = Array(text.utf8)
    _ = Foundation.write(STDERR_FILENO, bytes, bytes.count)
  }
}
