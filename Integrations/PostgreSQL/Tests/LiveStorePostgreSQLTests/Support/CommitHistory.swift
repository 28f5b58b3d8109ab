import LiveStore
import PostgreSQLTestSupport

/// What the tables held after each commit of the server, and whether the commits of a store are these.
struct CommitHistory: Sendable {
  /// Each differs from the one before it.
  private(set) var contents: [Contents]

  init(_ start: Contents) { contents = [start] }

  var newest: Contents { contents[contents.count - 1] }

  /// Appends what the tables hold after a commit, unless nothing changed.
  mutating func append(_ next: Contents) {
    if next != newest { contents.append(next) }
  }

  /// Throws unless each commit of a store is the next one of the server.
  ///
  /// - Parameters:
  ///   - start: what the store held before the commits.
  ///   - commits: the commits that changed replicated objects, in order.
  ///   - gaps: how often one commit may stand for several of the server, after a copy.
  /// - Returns: how many commits changed something.
  func check(_ start: Contents, _ commits: [Commit], gaps: Int, _ place: String) throws -> Int {
    // How many gaps it takes to be at each of the contents, since the same may stand at several places.
    var gapsNeeded: [Int: Int] = [:]
    for index in contents.indices where contents[index] == start { gapsNeeded[index] = 0 }
    if gapsNeeded.isEmpty {
      let differences = contents.enumerated().map { "\($0): \(start.difference(from: $1) ?? "none")" }
      throw Mismatch(
        "\(place): what the store held at the start, the server never held:\n\(differences.joined(separator: "\n"))"
      )
    }
    var state = start
    var count = 0
    for commit in commits {
      if try state.apply(commit) == 0 { continue }
      count += 1
      var next: [Int: Int] = [:]
      for index in contents.indices where contents[index] == state {
        let candidates = gapsNeeded.filter { $0.key < index }.map { $0.value + ($0.key + 1 == index ? 0 : 1) }
        if let fewest = candidates.min() { next[index] = fewest }
      }
      if next.isEmpty {
        throw Mismatch("\(place): \(explain(commit, state, from: gapsNeeded.keys.max() ?? 0))")
      }
      gapsNeeded = next
    }
    let needed = contents.indices.compactMap { contents[$0] == newest ? gapsNeeded[$0] : nil }.min()
    guard let needed else { throw Mismatch("\(place): the commits end before the newest one of the server") }
    try require(needed <= gaps, "\(place): commits were skipped: \(needed) gaps, \(gaps) allowed")
    return count
  }

  /// What is wrong with a commit after which the store held what the server did not.
  private func explain(_ commit: Commit, _ state: Contents, from index: Int) -> String {
    if contents[...index].contains(state) {
      return "\(commit) goes back to what the server held before commit \(index)"
    }
    if state.isEmpty { return "\(commit) leaves nothing" }
    let next = min(index + 1, contents.count - 1)
    return
      "\(commit) is not commit \(next) of \(contents.count - 1): \(state.difference(from: contents[next]) ?? "?")"
  }
}
