/// What carries the messages of a replication stream: a connection to the server, or a simulation of it.
package protocol ReplicationChannel {
  /// The messages that are there; none only if the deadline has passed.
  func receive(until deadline: ContinuousClock.Instant) async throws -> MessageBatch
  /// Sends a message to the server.
  func send(_ bytes: [UInt8], until deadline: ContinuousClock.Instant?) async throws
  /// Sends a message to the server, if that takes no wait.
  func sendWithoutWaiting(_ bytes: [UInt8]) throws
}

extension PostgresConnection: ReplicationChannel {}
