import ArgumentParser
import Foundation

/// Measures LiveStore beside what would be used instead of it.
@main
struct Benchmarks: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures LiveStore beside what would be used instead of it, in one process.",
    discussion: """
      Each figure is taken by contestants that do the same work in turn, after a run to warm up: the median of the \
      rounds, and the quartiles. A ratio is LiveStore's cost as a multiple of a peer's, taken in each round.
      """)

  @Option(help: "Scenes to run: names or beginnings of names, separated by commas.")
  var filter: String?

  @Option(help: "Numbers of rows, separated by commas.")
  var rows: String?

  @Option(help: "Rounds of each figure.")
  var runs: Int?

  @Flag(help: "10,000 rows and three rounds, to see that everything runs.")
  var quick = false

  @Flag(help: "List the scenes.")
  var list = false

  @Option(help: "Write the figures as JSON.")
  var json: String?

  @Option(help: "Write plots into this folder.")
  var plots: String?

  @Option(help: "Write the tables into this Markdown file, between its marks if it has them.")
  var markdown: String?

  @Option(help: "Read figures from JSON files, separated by commas, instead of measuring.")
  var from: String?

  func run() async throws {
    if list {
      for scene in Scene.all { print("\(Table.pad(scene.name, 24)) \(scene.summary)") }
      return
    }
    let report: Report
    if let from {
      report = try Report(reading: Self.parts(from), where: isChosen)
    } else {
      report = try await measure()
    }
    if let json { try report.writeJSON(to: json) }
    if let plots { try Plots(report).write(into: plots) }
    if let markdown { try Markdown(report).write(to: markdown) }
    let missed = report.figures.flatMap(\.bounds).filter { !$0.holds }.count
    print("\(report.figures.count) figures, \(missed) bounds missed")
  }

  private func measure() async throws -> Report {
    let session = Session(runs: runs ?? (quick ? 3 : 5), rows: try chosenRows(), isQuick: quick)
    let scenes = Scene.all.filter { isChosen($0.name) }
    guard !scenes.isEmpty else {
      throw ValidationError("No scene begins with any of “\(filter ?? "")”. See --list.")
    }
    let machine = Machine()
    print(machine.description)
    for scene in scenes {
      session.scene = scene.name
      print("\n== \(scene.name): \(scene.summary)")
      try await scene.run(session)
    }
    return Report(machine: machine, figures: session.figures)
  }

  private func isChosen(_ scene: String) -> Bool {
    guard let filter else { return true }
    return Self.parts(filter).contains { scene.hasPrefix($0) }
  }

  private func chosenRows() throws -> [Int]? {
    guard let rows else { return nil }
    return try Self.parts(rows).map { text in
      guard let count = Int(text), count >= 1_000 else {
        throw ValidationError("“\(text)” is not a number of rows: at least 1000.")
      }
      return count
    }
  }

  private static func parts(_ text: String) -> [String] { text.split(separator: ",").map(String.init) }
}
