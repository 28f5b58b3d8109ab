import TestSupport
import Testing
import social_feed

@Suite(.timeLimit(.minutes(10))) struct `The demo` {
  @Test func `the demo prints the same lines each time`() async throws {
    let first = try await lines()
    for _ in 0..<3 { #expect(try await lines() == first) }
    #expect(first.last == "\nIn the end, users: 2, posts: 4, comments: 1")
  }

  @Test func `the demo prints changes of the feed as they happen`() async throws {
    let lines = try await lines()
    let scene = try #require(lines.firstIndex { $0.hasPrefix("\n== Popular") })
    #expect(
      lines[1..<scene] == [
        "  (nothing)",
        "> Ann follows Bea",
        "  + Tea for Two, at 1",
        "> Cem publishes, but Ann does not follow him",
        "> Ann follows Cem",
        "  + Trains at Night, at 1",
        "> Bea publishes",
        "  + Tides and Tables, at 1",
        "> a user likes a post",
        "  ~ Tea for Two: likeCount: 0 → 1",
        "> Cem changes a headline",
        "  ~ Night Trains: title: \"Trains at Night\" → \"Night Trains\"",
        "> Ann follows Bea no more",
        "  - Tides and Tables",
        "  - Tea for Two",
      ])
  }

  private func lines() async throws -> [String] {
    let lines = Recorder<String>()
    try await Demo(pace: .zero) { lines.append($0) }.run()
    return lines.events
  }
}
