import Foundation
import LiveStore
import LiveStorePostgreSQL

/// Whether the service follows its database: one local object beside the replicated ones.
///
/// As an object of the store it has a stream as the posts have, and needs no channel of its own.
struct ServiceStatus: Entity {
  let id: Int
  var state: String

  static let schema = Schema<ServiceStatus> { \.state }
}

extension PostgresReplica {
  /// Writes the ``ServiceStatus`` until the replica is closed.
  func reportStatus() async {
    for await state in states {
      if case .disconnected(let error, _) = state { log("\(error)") }
      // Fails only when the store is closed, which ends the service anyway.
      try? await store.write { tx in
        // Read within the write, so that the last report has the newest state.
        try tx.upsert(ServiceStatus(id: 0, state: status.state.name))
      }
    }
  }
}

extension ReplicaStatus.State {
  /// The state without its details, which are not for everyone: an error names hosts and roles.
  var name: String {
    switch self {
    case .connecting: "connecting"
    case .copying: "copying"
    case .streaming: "streaming"
    case .disconnected: "disconnected"
    case .closed: "closed"
    }
  }
}

/// The body of `GET /status`.
struct StatusMessage: Encodable {
  var state: String
  var lagBytes: Int
  var lagSeconds: Double
  var appliedLSN: String
  var transactions: Int
  var reconnections: Int
  var copies: Int
  /// Tables that stand still, as a row of them cannot be read.
  var stoppedTables: [String]
  var leftOutRows: Int
  /// The streams that clients follow.
  var subscribers: Int

  init(_ replica: PostgresReplica, subscribers: Int) {
    let status = replica.status
    state = status.state.name
    lagBytes = status.lagBytes
    lagSeconds = status.lag / .seconds(1)
    appliedLSN = "\(status.appliedLSN)"
    transactions = status.transactions
    reconnections = status.reconnections
    copies = status.copies
    stoppedTables = status.stoppedTables.keys.sorted()
    leftOutRows = status.leftOutCount
    self.subscribers = subscribers
  }
}
