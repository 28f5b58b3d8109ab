import Foundation
import Testing
import TestSupport
import social_feed

@Suite(.timeLimit(.minutes(1))) struct `The demo` {
  @Test func `tells the same story each time`() async throws {
    let first = try await lines()
    #expect(try await lines() == first)
    #expect(first.last?.hasPrefix("\nThe end: 2 users, 4 posts, 0 comments, version ") == true)
  }

  private func lines() async throws -> [String] {
    let lines = Recorder<String>()
    try await Demo(pace: .zero) { lines.append($0) }.run()
    return lines.events
  }
}
