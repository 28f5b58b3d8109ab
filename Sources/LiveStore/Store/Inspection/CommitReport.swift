public import Foundation

extension StoreInspection {
  /// A commit that was made while times were recorded.
  public struct CommitReport: Sendable, Hashable, Codable {
    /// The version that it made.
    public var version: Version
    /// When it was published.
    public var date: Date
    /// The name of its writer, as given to `write(origin:)`.
    public var origin: String?
    /// How many rows it changed, by entity; entities without a change are left out.
    public var rows: [String: Int]
    /// How long its body ran; for an optimistic transaction, how long it took to repeat the reads and writes.
    public var body: Duration
    /// How long it took from the end of the body until the version was readable: the checks, and making the version.
    public var commit: Duration
  }

  /// Consecutive versions that are alive, and what holds them.
  public struct PinnedVersions: Sendable, Hashable, Codable {
    /// The first of the versions.
    public var first: Version
    /// The last of the versions; often the same.
    public var last: Version
    /// How many versions these are: fewer than the numbers between, if some have ended.
    public var count: Int
    /// What is known to hold them. A version may also be held by snapshots and results of the app.
    public var holders: [PinHolder]
  }

  /// Something that holds a version.
  public struct PinHolder: Sendable, Hashable, Codable {
    /// What holds a version.
    public enum Kind: String, Sendable, Hashable, Codable {
      /// It is the newest version.
      case newest
      /// The history, for `commits(after:)` and `changes(of:since:)`.
      case history
      /// An observer, which has not got the changes since then.
      case observer
      /// A live query, which is to be brought up to date from there; all of them, if none is named.
      case upkeep
      /// Nothing that the store knows of: snapshots or results that the app holds, or work that is under way.
      case app
    }

    /// What it is.
    public var kind: Kind
    /// The number of the live query, for an observer or for upkeep.
    public var query: Int?
    /// The number of the observer.
    public var observer: Int?
  }
}
