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
