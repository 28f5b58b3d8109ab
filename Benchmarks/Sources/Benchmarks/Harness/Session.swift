import Foundation

/// One run of the program: its options, and the figures so far.
final class Session {
  let runs: Int
  /// Numbers of rows that were asked for; nil for those of each scene.
  let chosenRows: [Int]?
  let isQuick: Bool
  private(set) var figures: [Figure] = []
  var scene = ""

  init(runs: Int, rows: [Int]?, isQuick: Bool) {
    self.runs = runs
    chosenRows = rows
    self.isQuick = isQuick
  }

  /// Numbers of rows for a scene.
  func rows(_ standard: [Int] = [10_000, 100_000, 1_000_000]) -> [Int] {
    chosenRows ?? (isQuick ? [10_000] : standard)
  }

  /// Runs contestants in turn: each once to warm up, then each once a round, in an order that rotates.
  func race(
    _ work: String, rows: Int, parameter: (String, Int)? = nil, wanted: [Wanted] = [],
    runs: Int? = nil, _ contestants: [Contestant]
  ) async throws {
    var samples = contestants.map { (name: $0.name, values: [Double]()) }
    for contestant in contestants {
      _ = try await contestant.sample()
      await quiesce()
    }
    for round in 0..<(runs ?? self.runs) {
      for place in contestants.indices {
        let index = (place + round) % contestants.count
        samples[index].values.append(try await contestants[index].sample())
        await quiesce()
      }
    }
    record(work, rows: rows, parameter: parameter, wanted: wanted, samples: samples)
  }

  /// Adds a figure from samples that a scene took itself.
  ///
  /// - Parameter isComparison: whether the others are peers of the first, and not other figures of the same.
  func record(
    _ work: String, rows: Int, parameter: (String, Int)? = nil, unit: Figure.Unit = .nanoseconds,
    wanted: [Wanted] = [], isComparison: Bool = true, samples: [(name: String, values: [Double])]
  ) {
    let figure = Figure(
      scene: scene, work: work, rows: rows, parameter: parameter, unit: unit, samples: samples,
      wanted: wanted,
      isComparison: isComparison)
    figures.append(figure)
    for line in Table.lines(figure) { print(line) }
    fflush(nil)
  }

  /// Waits until what the last run left behind is freed: large versions are freed on a thread of their own, which
  /// would take time from the next contestant.
  func quiesce() async {
    var last = liveBytes()
    for _ in 0..<1_000 {
      try? await Task.sleep(for: .milliseconds(2))
      let now = liveBytes()
      if now == last { return }
      last = now
    }
  }
}
