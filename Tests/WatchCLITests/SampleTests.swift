import Foundation
import LiveStore
import Testing
import livestore_watch

@Suite struct SampleTests {
  /// The folder of the samples.
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Examples/WatchCLI/Samples").standardizedFileURL.path

  /// The results of a command after each transaction, without a store.
  private func results(_ arguments: [String]) throws -> [[Document]] {
    var watch = try NaiveWatch(arguments)
    var results: [[Document]] = []
    var reader = BatchReader(
      files: ["\(Self.folder)/packages.ndjson"], rules: watch.options.inputRules, batch: watch.options.batch
    ) { line in
      Issue.record("\(line)")
      return true
    }
    while let changes = try reader.next() {
      for document in changes.compactMap(\.document) { watch.upsert(document) }
      results.append(watch.result)
    }
    return results
  }

  private func expected(_ name: String) throws -> String {
    try String(contentsOfFile: "\(Self.folder)/Expected/\(name)", encoding: .utf8)
  }

  @Test func `the largest libraries are what the sample says`() throws {
    let result = try results([
      "--key", "package", "--where", #"section == "libs" AND source.name BEGINSWITH "g""#,
      "--sort", "size:desc,package", "--limit", "12",
    ]).last
    #expect(result?.map { "\($0.body)\n" }.joined() == (try expected("largest.ndjson")))
  }

  @Test func `the numbers of unpacked packages are what the sample says`() throws {
    let counts = try results([
      "--key", "package", "--where", #"status == "unpacked""#, "--batch", "100",
    ]).map(\.count)
    let printed = counts.enumerated().filter { $0.offset == 0 || counts[$0.offset - 1] != $0.element }
    #expect(printed.map { "\($0.element)\n" }.joined() == (try expected("unpacked-count.txt")))
  }
}
