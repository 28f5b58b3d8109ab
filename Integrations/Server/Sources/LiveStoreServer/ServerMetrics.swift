import Metrics

/// What a server reports to the app's `MetricsSystem`, if there is one.
struct ServerMetrics: Sendable {
  /// Requests that wait for changes.
  let streams = Meter(label: "livestore_server_streams")
  /// Requests that read a whole result.
  let readers = Meter(label: "livestore_server_readers")
  /// Queries that are kept up to date for clients.
  let queries = Meter(label: "livestore_server_queries")
  /// Changes that were encoded, once for all clients of a query.
  let steps = Counter(label: "livestore_server_steps")
  /// Whole results that were sent in place of a difference, after an offset that could not be continued.
  let resets = Counter(label: "livestore_server_resets")
  /// Requests that were refused, or failed.
  let errors = Counter(label: "livestore_server_errors")
}
