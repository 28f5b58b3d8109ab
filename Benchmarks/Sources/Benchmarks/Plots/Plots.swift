/// The plots of a report.
struct Plots {
  private let report: Report

  init(_ report: Report) { self.report = report }

  func write(into folder: String) throws {}
}
