import Foundation
package import LiveStore
import SocialFeedCore

/// The scenario that the tool plays: always the same, with a clock of its own.
package struct Demo: Sendable {
  let feed: SocialFeed
  let say: @Sendable (String) -> Void
  private let pace: Duration

  /// A scenario that has not started.
  ///
  /// - Parameters:
  ///   - pace: how long to wait after each step, so that it can be read.
  ///   - say: prints a line of the scenario.
  package init(pace: Duration, say: @escaping @Sendable (String) -> Void) throws(StoreError) {
    feed = try SocialFeed()
    self.pace = pace
    self.say = say
  }

  /// Plays the scenario to its end.
  package func run() async throws {
    let fixture = try await Fixture(feed)
    try await tailFeed(fixture)
    try await rankAuthors(fixture)
    try await sortDesk(fixture)
    try await discuss(fixture)
    try await sumUp(fixture)
  }

  /// A part of the scenario: its headline, the first event of its observer, and then its steps.
  func scene(
    _ title: String, observing: () -> NotificationToken, steps: () async throws -> Void
  ) async throws {
    say("\n== \(title)")
    let token = observing()
    defer { token.invalidate() }
    try await feed.store.settled()
    try await steps()
  }

  /// Runs a step and waits until its observers have received the changes.
  @discardableResult
  func step<Result>(_ text: String, _ action: () async throws -> Result) async throws -> Result {
    say("> \(text)")
    let result = try await action()
    try await feed.store.settled()
    try await Task.sleep(for: pace)
    return result
  }
}
