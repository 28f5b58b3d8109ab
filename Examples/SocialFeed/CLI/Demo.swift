import Foundation
package import LiveStore
import SocialFeedCore

/// The story that the tool plays: always the same, on a clock of its own.
package struct Demo: Sendable {
  let feed: SocialFeed
  let say: @Sendable (String) -> Void
  private let pace: Duration

  /// A story that has not begun.
  ///
  /// - Parameters:
  ///   - pace: how long to wait after each step, for somebody to read it.
  ///   - say: takes the lines of the story.
  package init(pace: Duration, say: @escaping @Sendable (String) -> Void) throws(StoreError) {
    feed = try SocialFeed()
    self.pace = pace
    self.say = say
  }

  /// Plays the story to its end.
  package func run() async throws {
    let cast = try await Cast(feed)
    try await tailFeed(cast)
    try await rankAuthors(cast)
    try await sortDesk(cast)
    try await discuss(cast)
    try await sumUp(cast)
  }

  /// Something happens, and everybody who observes is told of it before the next thing does.
  func step(_ text: String, _ action: () async throws -> Void) async throws {
    say("> \(text)")
    try await action()
    try await feed.store.settled()
    try await Task.sleep(for: pace)
  }

  /// Begins a part of the story: its headline, and what its observer is told at the start.
  func scene(_ title: String) async throws {
    say("\n== \(title)")
    try await feed.store.settled()
  }
}
