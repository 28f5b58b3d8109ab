public import Foundation
public import LiveStore

/// How far a follower is.
///
/// ```swift
/// for await status in follower.statuses {
///   if case .disconnected(let error, let delay) = status.state { print(error, delay) }
/// }
/// ```
public struct FollowerStatus: Sendable {
  /// What a follower is doing.
  public enum State: Sendable, Hashable {
    /// It connects, for the first time or again.
    case connecting
    /// It follows the server.
    case following
    /// It lost the server, and will connect again. The store has what it had.
    case disconnected(FollowerError, retryIn: Duration)
    /// It cannot go on, since a row cannot be decoded. The store has what it had.
    case stopped(FollowerError)
    /// It was closed.
    case closed
  }

  /// What the follower is doing.
  public internal(set) var state = State.connecting
  /// The version of the server's store that this store has; nil before the first.
  public internal(set) var version: Version?
  /// The identity of the server's store: versions of another are others.
  public internal(set) var identity: UUID?
  /// How long ago the store had all that the server had, as far as is known; zero if it has.
  public internal(set) var lag = Duration.zero
  /// How many snapshots were applied: the first, and one after each gap.
  public internal(set) var snapshots = 0
  /// How many steps were applied, each a version or some merged ones.
  public internal(set) var steps = 0
  /// How many connections ended before their time.
  public internal(set) var failures = 0
}
