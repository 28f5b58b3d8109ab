import Synchronization

/// Lines for standard error, which are held while a table is drawn on the same terminal.
final class Notices: Sendable {
  private let isHeld: Bool
  private let progress: ProgressMeter?
  private let lines = Mutex<[String]>([])

  /// Notices that are reported at once, or held.
  init(isHeld: Bool, progress: ProgressMeter? = nil) {
    (self.isHeld, self.progress) = (isHeld, progress)
  }

  /// Reports a line, now or later.
  func report(_ line: String) {
    if isHeld { return lines.withLock { $0.append(line) } }
    guard let progress else { return OutputWriter.report(line) }
    progress.hidden { OutputWriter.report(line) }
  }

  /// Reports what is held.
  func release() {
    let held = lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
    for line in held { OutputWriter.report(line) }
  }
}

/// Reports bad lines on standard error: the first few, since a stream of them would bury everything else.
package struct BadLineReport {
  /// How many are shown.
  package static let limit = 5

  private var count = 0
  private let report: (String) -> Void

  /// A report of no lines yet.
  package init(_ report: @escaping (String) -> Void = OutputWriter.report) {
    self.report = report
  }

  /// Takes in a bad line.
  package mutating func add(_ line: BadLine) {
    count += 1
    if count <= Self.limit { report("\(line)") }
    if count == Self.limit + 1 { report(Help.line("further bad lines are only counted")) }
  }
}
