import Foundation
import LiveStore

extension ResultPrinter {
  /// A printer as the options ask for.
  package init(_ options: WatchOptions, writer: OutputWriter, isColored: Bool) {
    let clock: @Sendable () -> Date = { Date() }
    self.init(
      writer: writer, mode: options.output, isColored: isColored, key: options.shownKey, chart: options.chart,
      clock: options.timestamps ? clock : nil)
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
    let clock: @Sendable () -> String = { ResultPrinter.text(of: Date()) }
    self.init(
      command, projection: options.projection, isOnce: options.once, isSilent: isSilent,
      clock: options.timestamps ? clock : nil, report: report)
  }
}
