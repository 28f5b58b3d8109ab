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

  /// A part of the story: its headline, what its observer is told at the start, and then what happens.
  func scene(
    _ title: String, observing: () -> NotificationToken, steps: () async throws -> Void
  ) async throws {
    say("\n== \(title)")
    let token = observing()
    defer { token.invalidate() }
    try await feed.store.settled()
    try await steps()
  }

  /// Something happens, and whoever observes is told of it before anything else does.
  @discardableResult
  func step<Result>(_ text: String, _ action: () async throws -> Result) async throws -> Result {
    say("> \(text)")
    let result = try await action()
    try await feed.store.settled()
    try await Task.sleep(for: pace)
    return result
  }
}
