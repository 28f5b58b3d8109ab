import LiveStore
import Testing

/// What other stores answer, as data: every file of the folder is run, and a line for each ends the output.
@Suite struct ConformanceTests {
  @Test(.timeLimit(.minutes(10))) func `foreign cases are answered as expected`() async throws {
    let folder = CaseFolder()
    let files = try folder.files()
    #expect(!files.isEmpty, "There are no cases in \(folder.path).")
    var reports: [CaseReport] = []
    for file in files { reports.append(await Self.report(file, folder)) }
    for report in reports {
      for line in report.details { print(line) }
      for remark in report.wrong { Issue.record("\(report.file) \(remark.line)") }
    }
    for report in reports { print(report.summary) }
  }

  private static func report(_ file: String, _ folder: CaseFolder) async -> CaseReport {
    var report = CaseReport(file: file)
    do {
      let content = try folder.read(file)
      switch file {
      case "collection_changes": try await CollectionChangeCases.run(content, &report)
      case "object_changes": try await ObjectChangeCases.run(content, &report)
      case "queries": try await QueryCases.run(content, &report)
      case "merges": try await MergeCases.run(content, &report)
      case "predicate_strings": try await PredicateStringCases.run(content, &report)
      case "lifecycle": try await LifecycleCases.run(content, &report)
      default: report.fail("there is no runner for files of this name")
      }
    } catch {
      report.fail("the file cannot be read: \(error)")
    }
    return report
  }
}
