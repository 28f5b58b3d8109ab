public import LiveStore

/// How a follower connects, and what it gives up on.
///
/// ```swift
/// var options = FollowerOptions()
/// options.token = token
/// let follower = try await StoreFollower.connect(to: url, Post.self, options: options)
/// ```
public struct FollowerOptions: Sendable {
  /// What is sent as `Authorization: Bearer …`; nil for nothing.
  public var token: String?
  /// Other headers of each request.
  public var headers: [(name: String, value: String)] = []
  /// Where the server's streams are, below the URL.
  public var path = "streams"
  /// How long ``StoreFollower/connect(to:_:options:)`` may take until the store has the first snapshot.
  public var firstSnapshotTimeout = Duration.seconds(60)
  /// How long a connection may take to be made.
  public var connectTimeout = Duration.seconds(10)
  /// How long the server may send nothing: three times its bookmark interval by default. Then the follower connects again.
  public var silence = Duration.seconds(30)
  /// The wait before the first of several attempts; each later one is twice as long.
  public var minimumDelay = Duration.milliseconds(100)
  /// The longest wait before an attempt. A part of up to a half is left out at random, so that many followers do not come
  /// back at once.
  public var maximumDelay = Duration.seconds(30)
  /// How many bytes one row may have as JSON text.
  public var maximumRowBytes = 16_777_216
  /// How much history the follower's store has.
  public var store = Store.Configuration()

  /// Is given what the store is after each step: for tests.
  package var onStep: (@Sendable (FollowerStatus, Snapshot) -> Void)?

  /// The defaults.
  public init() {}
}
