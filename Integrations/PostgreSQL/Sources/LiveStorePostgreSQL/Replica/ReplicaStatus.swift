public import Foundation

/// How far a replica is.
public struct ReplicaStatus: Sendable {
  /// What a replica is doing.
  public enum State: Sendable, Equatable {
    /// It connects, for the first time or again.
    case connecting
    /// It copies the tables, for the first time or again.
    case copying(CopyProgress)
    /// It follows the server.
    case streaming
    /// It lost the server, and will connect again. The store has what it had.
    case disconnected(PostgresError, retryIn: Duration)
    /// It was closed.
    case closed
  }

  /// What the replica is doing.
  public var state: State
  /// Everything committed before this position of the log is in the store.
  public var appliedLSN: LogSequenceNumber
  /// The newest position that was received.
  public var receivedLSN: LogSequenceNumber
  /// The newest position that the server is known to have reached: as it says in the stream, and when it is asked, each
  /// ``PostgresReplica/Options/statusInterval``.
  public var serverLSN: LogSequenceNumber
  /// How long ago the store had all that the server was known to have; zero if it has.
  public var lag: Duration
  /// The name of the slot; nil for a temporary one.
  public var slotName: String?
  /// For a durable slot, how many bytes of log the server keeps for it at most (`max_slot_wal_keep_size`); nil for no
  /// limit, and for temporary slots.
  public var retentionLimit: Int?
  /// For a durable slot, how many bytes of log the server kept for it, when it was last asked; nil for temporary slots.
  public var retainedBytes: Int?
  /// How many transactions of the server were applied.
  public var transactions: Int
  /// How many times the tables were copied.
  public var copies: Int
  /// How many of the copies were made after which error: of which a lost connection of a temporary slot is
  /// ``PostgresError/connectionFailed``, an altered table ``PostgresError/definitionChanged``, and a row that could not be
  /// read and was changed ``PostgresError/mismatch``. The first copy has none.
  public var copyReasons: [PostgresError.Code: Int] = [:]
  /// The tables that are stopped for a row that cannot be held, by their names, and why: see ``UnreadableRows``. The error
  /// names the column and the value, and its message the id. What is awaited by ``PostgresReplica/synced(to:)`` does not
  /// come to them.
  public var stoppedTables: [String: PostgresError] = [:]
  /// Why rows are left out, of at most 100 of them: see ``UnreadableRows/leaveOut``.
  public var leftOutRows: [PostgresError] = []
  /// How many rows are left out.
  public var leftOutCount = 0
  /// How many times the stream has ended: the connection was lost, or the tables had to be copied again.
  public var reconnections: Int
  /// How many optimistic edits wait for the server.
  public var optimisticEdits: Int

  /// How many bytes of the server's log are not in the store yet; what other tables wrote counts, too.
  public var lagBytes: Int { Int(clamping: serverLSN.rawValue - min(appliedLSN, serverLSN).rawValue) }
}

/// How far the copy of the tables is.
public struct CopyProgress: Sendable, Hashable {
  /// The table that is being copied.
  public var table: String
  /// How many rows were copied, of all tables.
  public var rows: Int
  /// About how many rows there are, by the server's statistics; at least `rows`.
  public var estimatedRows: Int
}

/// A transaction of the server that is a commit of the store.
public struct ReplicaTransaction: Sendable, Hashable {
  /// Where the transaction ends in the server's log.
  public let lsn: LogSequenceNumber
  /// The number of the transaction at the server, as `pg_current_xact_id()` modulo 2³².
  public let xid: UInt32
  /// When it was committed, by the server's clock, in microseconds since 2000-01-01 UTC.
  let commitTime: Int64
}

extension ReplicaTransaction {
  /// When it was committed, by the server's clock.
  public var date: Date { Date(timeIntervalSinceReferenceDate: Double(commitTime) / 1e6 - 366 * 86_400) }
}
