import Foundation

extension ProgressMeter {
  /// A meter as the options ask for; nil if they do not.
  convenience init?(_ options: WatchOptions, display: TableDisplay?) {
    guard options.showsProgress else { return nil }
    let isTerminal = isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    let form: Form =
      if let display {
        .words { display.show(progress: $0) }
      } else if isTerminal {
        .line { TerminalFile.size(of: STDERR_FILENO).columns }
      } else {
        .log
      }
    let start = ContinuousClock.now
    // A file that is followed has no end.
    let total = options.isFollowing ? nil : InputFile.size(of: options.inputFiles)
    self.init(total: total, form: form, clock: { .now - start }, write: Self.write)
  }

  /// Writes to standard error, unless it takes nothing now.
  @Sendable private static func write(_ text: String) {
    var file = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    guard poll(&file, 1, 0) > 0 else { return }
    let bytes = Array(text.utf8)
    _ = Foundation.write(STDERR_FILENO, bytes, bytes.count)
  }
}
