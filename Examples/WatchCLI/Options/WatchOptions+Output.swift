import Foundation
import LiveStore

extension WatchOptions {
  /// The time to print with a version; nil prints none.
  fileprivate var clock: (@Sendable () -> Date)? { timestamps ? { @Sendable in Date() } : nil }
}

extension ResultPrinter {
  /// A printer as the options ask for.
  package init(_ options: WatchOptions, writer: OutputWriter, isColored: Bool) {
    self.init(
      writer: writer, mode: options.output, isColored: isColored, key: options.shownKey, chart: options.chart,
      clock: options.clock)
    projection = options.projection
  }
}

extension CommandRunner {
  /// A runner as the options ask for; nil if there is no command.
  ///
  /// - Parameters:
  ///   - isSilent: whether what commands print is discarded.
  ///   - report: called with a sentence for a command that fails.
  convenience init?(
    _ options: WatchOptions, isSilent: Bool, report: @escaping @Sendable (String) -> Void
  ) {
    guard let command = options.command else { return nil }
    self.init(
      command, projection: options.projection, isOnce: options.once, isSilent: isSilent,
      clock: options.clock, report: report)
  }
}
