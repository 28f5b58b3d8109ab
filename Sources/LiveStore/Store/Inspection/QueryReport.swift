public import Foundation

extension StoreInspection {
  /// A live query: one maintained result, with all that observe it.
  public struct QueryReport: Sendable, Hashable, Codable {
    /// Names the query for as long as it is observed, also in later inspections; see ``Store/plan(ofQuery:)``.
    public var number: Int
    /// The entity whose objects it selects.
    public var entity: String
    /// The query in Swift syntax, without the last window, which belongs to its observers.
    public var text: String
    /// How many rows the maintained result has, whatever the windows of observers.
    public var results: Int
    /// Whether a changed row is tested only if its values can matter. Others are asked about every change of their
    /// entity.
    public var isRouted: Bool
    /// How many versions have changes that the result does not have yet.
    public var pendingSteps: Int
    /// The observers, oldest first.
    public var observers: [ObserverReport]
    /// How often the result was brought up to date.
    public var updates: Int
    /// How often it was evaluated again, as most of its rows had changed, or a filter, `<` or `==` is inconsistent.
    public var rebuilds: Int
    /// How many changed rows were tested for it.
    public var rowsTested: Int
    /// How many rows of the result changed by that.
    public var rowsChanged: Int
    /// The last event that an observer was given; nil if there was none while times were recorded.
    public var lastEvent: EventReport?
    /// How long it took to bring the result up to date; nil if that was not recorded.
    public var upkeep: Timings?
    /// How long it took from the first commit in an event until the observer was given the event; nil if that was not
    /// recorded.
    public var delivery: Timings?
  }

  /// An observer of a query or of commits.
  public struct ObserverReport: Sendable, Hashable, Codable {
    /// How an observer gets its events.
    public enum Kind: String, Sendable, Hashable, Codable {
      /// A handler, called for a ``NotificationToken``.
      case token
      /// An asynchronous sequence.
      case stream
      /// A model of LiveStoreObservation.
      case model
    }

    /// Names the observer for as long as it observes, also in later inspections. An observer of several queries is
    /// listed with each.
    public var number: Int
    /// How it gets its events.
    public var kind: Kind
    /// Where it was made: `Feed.swift:12`; nil if that is not known.
    public var location: String?
    /// The version of its last event; nil before the first.
    public var version: Version?
    /// How many versions it is behind; nil before the first event.
    public var lag: Int?
    /// Whether events are held back.
    public var isPaused: Bool
    /// The origins whose commits are not delivered, in order.
    public var excludedOrigins: [String]
    /// How many rows of the result come before its window; 0 if it observes all.
    public var offset: Int
    /// The most rows that its window has; nil if it observes all.
    public var limit: Int?
  }

  /// An event, in numbers.
  public struct EventReport: Sendable, Hashable, Codable {
    /// The version that it led to.
    public var version: Version
    /// When the observer was given it.
    public var date: Date
    /// How many objects had left the result.
    public var deletions: Int
    /// How many objects had come into the result.
    public var insertions: Int
    /// How many objects of the result had changed; 1 for the change of a value.
    public var modifications: Int
    /// How many objects had moved.
    public var moves: Int
  }

  /// How long something took, over all times that it was measured.
  ///
  /// Times are counted in classes of an eighth of their size, so a percentile is at most an eighth too large; the
  /// longest time is exact.
  public struct Timings: Sendable, Hashable, Codable {
    /// How often it was measured.
    public var count: Int
    /// Half of the times were as short, or shorter.
    public var p50: Duration
    /// 95 of 100 times were as short, or shorter.
    public var p95: Duration
    /// The longest time.
    public var longest: Duration
  }
}
