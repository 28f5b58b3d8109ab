import Foundation
import LiveStore
import LiveStorePostgreSQL

/// Whether the service follows its database: one local object beside the replicated ones.
///
/// As an object of the store it is part of each client's subscription, always at the version of the posts, and needs no
/// channel of its own.
struct ServiceStatus: Entity {
  let id: Int
  var state: String
  /// Changes at every heartbeat, which gives each client something to be sent.
  var beat: Int

  static let schema = Schema<ServiceStatus> {
    \.state
    \.beat
  }
}

/// Keeps the ``ServiceStatus`` of a replica's store.
struct StatusReporter {
  let replica: PostgresReplica
  let interval: Duration

  /// Reports until the replica is closed or the task is cancelled.
  func run() async {
    await withTaskGroup { group in
      group.addTask {
        for await state in replica.states {
          if case .disconnected(let error, _) = state { log("\(error)") }
          await report()
        }
      }
      group.addTask {
        while (try? await Task.sleep(for: interval)) != nil { await report() }
      }
      // The states end when the replica is closed.
      await group.next()
      group.cancelAll()
    }
  }

  private func report() async {
    // Fails only when the store is closed, which ends the service anyway.
    try? await replica.store.write { tx in
      // Read within the write, so that the last report has the newest state.
      let state = replica.status.state.name
      let beat = tx[ServiceStatus.self, 0]?.beat ?? 0
      try tx.upsert(ServiceStatus(id: 0, state: state, beat: beat + 1))
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
  /// Clients of `GET /events`.
  var subscribers: Int

  init(_ replica: PostgresReplica) {
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
    // Nothing else observes the store.
    subscribers = replica.store.metrics.observers
  }
}
