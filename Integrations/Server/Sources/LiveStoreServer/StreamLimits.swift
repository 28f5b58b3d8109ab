/// How much a server gives to its clients.
///
/// ```swift
/// var limits = StreamLimits()
/// limits.streams = 200
/// let server = try StoreServer(store, configuration: ServerConfiguration(limits: limits)) { … }
/// ```
public struct StreamLimits: Sendable {
  /// How many requests may wait for changes at a time, as live streams or long polls; more get the status 429.
  public var streams = 10_000
  /// How many requests may read a whole result, or the difference from their own version, at a time; more get the status 429. A
  /// stream of events waits for ``bookmarkInterval``, and then ends with the error `tooManyStreams`.
  public var readers = 1_000
  /// How many different queries are followed at a time; more get the status 429.
  public var queries = 1_000
  /// How many connections are accepted; more wait. A server of its own only.
  public var connections = 20_000
  /// How many bytes the headers of a request may have together. A server of its own only.
  public var headerBytes = 16_384
  /// How many rows a query with a client's filter may visit, also because of the `rows` that are exposed; see
  /// `FilterLimits.maximumVisits`.
  public var visits = 100_000
  /// How many rows a stream has at most, whatever `limit` a client asks for; nil for any number.
  public var rows: Int?
  /// How long a stream of server-sent events lasts, after which its client connects again.
  public var streamDuration = Duration.seconds(60)
  /// How long a client may take to read a whole result, whose version is held meanwhile.
  public var snapshotDuration = Duration.seconds(600)
  /// How long a long poll waits.
  public var pollDuration = Duration.seconds(20)
  /// The longest time without an event; then a mark with the newest offset comes.
  public var bookmarkInterval = Duration.seconds(10)
  /// How long a client may take to accept one write, and how long a connection without a request stays open.
  public var idleTime = Duration.seconds(30)
  /// The shortest time between two events of a stream under load.
  public var shortestRest = Duration.milliseconds(2)
  /// How long a query is kept up to date after its last client went.
  public var linger = Duration.seconds(5)

  /// The defaults.
  public init() {}

  var pace: StreamPace {
    StreamPace(
      tick: max(.milliseconds(1), min(streamDuration, pollDuration, bookmarkInterval) / 4),
      shortestRest: shortestRest,
      stepsKept: 64,
      bytesKept: 4_194_304,
      bytesInStep: 4_194_304)
  }
}
