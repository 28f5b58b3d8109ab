import LiveStore

/// A random history of one store: what is done follows from the seed and the numbers of its steps alone.
public struct History: Sendable {
  /// The seed.
  public var seed: UInt64
  /// The numbers of its steps; leaving some out makes a smaller history.
  public var steps: [Int]
  /// What it is like.
  public var options: Options

  /// A history of all its steps.
  public init(seed: UInt64, options: Options = Options()) {
    self.seed = seed
    self.options = options
    steps = Array(0..<options.steps)
  }

  /// Runs it. Returns what was found, nil if nothing, and what was done.
  public func run() async -> (finding: String?, log: [String]) {
    var random = Randomness(seed: seed, step: -1)
    let palette = Palette(&random, options)
    let run: Run
    do {
      run = try Run(palette, options)
    } catch {
      return ("the store could not be made: \(error)", [])
    }
    for step in steps {
      var random = Randomness(seed: seed, step: step)
      do {
        try await run.step(step, &random)
      } catch {
        run.end()
        return ("step \(step): \(error)", run.log)
      }
    }
    do {
      var random = Randomness(seed: seed, step: -2)
      try await run.finish(&random)
    } catch {
      run.end()
      return ("at the end: \(error)", run.log)
    }
    run.end()
    return (nil, run.log)
  }

  /// What a finding is about, so that shrinking does not go from one to another.
  private static func kind(_ finding: String) -> String? {
    let kinds = [
      "previous of", "missed an event", "is due", "deletions are", "insertions are", "modifications are",
      "moves from",
      "where ", "has the objects", "has the sections", "has for", "in the transaction", "was refused",
      "refused",
      "the version is", "but should be",
    ]
    return kinds.first { finding.contains($0) }
  }

  /// The smallest history found that still fails, leaving out steps greedily.
  public func shrunk(within tries: Int = 400) async -> (history: History, finding: String, log: [String])? {
    var best = self
    let (finding, log) = await best.run()
    guard var last = finding.map({ ($0, log) }) else { return nil }
    let kind = Self.kind(last.0)
    var size = max(1, best.steps.count / 2)
    var tries = tries
    while tries > 0 {
      var start = 0
      var isSmaller = false
      while start < best.steps.count, tries > 0 {
        var candidate = best
        candidate.steps.removeSubrange(start..<min(start + size, best.steps.count))
        tries -= 1
        let (finding, log) = await candidate.run()
        if let finding, Self.kind(finding) == kind {
          best = candidate
          last = (finding, log)
          isSmaller = true
        } else {
          start += size
        }
      }
      if size == 1, !isSmaller { break }
      size = max(1, size / 2)
    }
    return (best, last.0, last.1)
  }
}
