public import Foundation

/// What a store holds, runs and costs at a moment: for an inspector, a log, or a test of costs.
///
/// ```swift
/// let recording = store.recordTimings()      // from here on, times are measured
/// let inspection = store.inspection
/// for query in inspection.queries where query.rowsTested > 100 * query.rowsChanged { print(query.text) }
/// let json = try JSONEncoder().encode(inspection)
/// ```
/// A value: it holds no version of the store. As JSON, each property has its name as its key, and properties that are
/// nil are left out. A ``Version`` is its number, a duration a number of seconds, and a date what the encoder makes of
/// dates (`dateEncodingStrategy`; for JavaScript, `.millisecondsSince1970`).
///
/// The store's parts are read one after another, so an inspection beside running writers may show a query that is some
/// versions ahead of ``version``.
public struct StoreInspection: Sendable, Hashable, Codable {
  /// The store's ``Store/identity``.
  public var identity: UUID
  /// The newest version.
  public var version: Version
  /// When the inspection was made.
  public var date: Date
  /// Whether times are measured: a ``TimingRecording`` lives.
  public var isRecording: Bool
  /// Figures about the work and memory of the whole store.
  public var metrics: Store.Metrics
  /// The entities, in the order in which the store was made of them.
  public var entities: [EntityReport]
  /// The live queries, oldest first; equal queries share one.
  public var queries: [QueryReport]
  /// The observers of commits: `commits(after:)` and the mode `.everyCommit`.
  public var commitObservers: [ObserverReport]
  /// The newest commits that were made while times were recorded, oldest first; at most 256.
  public var commits: [CommitReport]
  /// The versions that are alive, oldest first.
  public var pins: [PinnedVersions]
}
