import Foundation
import LiveStore

/// The messages of one replication connection, applied as they come. Used by one task.
///
/// A transaction's messages are collected until it ends and then applied in one commit, so no lock of the store is held
/// while the server is waited for. Descriptions of relations take effect in their order among the changes; those of a
/// transaction that ends without effect have none (Z6).
package final class ReplicationStream {
  private let loop: ReplicaLoop
  private let channel: any ReplicationChannel
  private var engine: ReplicaEngine { loop.engine }
  private var options: PostgresReplica.Options { loop.source.options }

  /// The transaction whose messages come, all at once after its end.
  private var current: ReceivedTransaction?
  /// Large transactions, whose messages come before their end, by their numbers.
  private var streamed: [UInt32: ReceivedTransaction] = [:]
  /// The large transaction of which a part comes.
  private var stream: UInt32?
  private var lastHeard = ContinuousClock.now
  private var lastStatus = ContinuousClock.now
  private var lastRequest = ContinuousClock.now
  private var lastCheck = ContinuousClock.now
  /// Whether the definitions are compared before the next transaction is applied: after a description of a relation, which
  /// the server sends at its first change and when something about it or the publication was altered.
  private var mustCheck = false
  /// Whether the last message has described a table that is followed. What the next one describes is then a partition of it,
  /// of which rows come.
  private var hasDescribedRoot = false
  /// The partition that the last message has described.
  private var describedPartition: UInt32?
  /// Whether a transaction was applied whose end the server does not know of: its clients wait for that, where the replica is a synchronous
  /// standby.
  private var mustConfirm = false

  /// How many messages are applied between two looks at the clock.
  private static let beat = 64

  private struct ReceivedTransaction {
    let xid: UInt32
    let spool: TransactionSpool
    /// The types of the columns of relations that came with it.
    var typeIDs: Set<UInt32> = []
    /// The partitions with rows that are sent as rows of their root.
    var partitions: Set<UInt32> = []
  }

  package init(_ loop: ReplicaLoop, _ channel: any ReplicationChannel) {
    (self.loop, self.channel) = (loop, channel)
  }

  /// Applies messages until the connection is lost or the task is cancelled.
  package func run() async throws {
    try await sendStatus(replyRequested: true)
    while true {
      let request = options.silenceTimeout / 2
      let interval = options.statusInterval
      // So that a change of them is known within the interval.
      let checkInterval = interval / 2
      let nextCheck = lastCheck + (loop.mustCheckFiles ? checkInterval / 20 : checkInterval)
      let deadline = min(lastStatus + interval, nextCheck, lastHeard + request, lastRequest + request)
      let batch: MessageBatch
      do {
        batch = try await channel.receive(until: max(deadline, .now + .milliseconds(1)))
      } catch let error as PostgresError where error.code == PostgresError.serverError && !error.isTransient {
        // The server cannot decode its log, and never will.
        loop.hasLostLog = true
        throw error
      }
      if !batch.isEmpty { lastHeard = .now }
      var replyRequested = false
      for index in batch.indices {
        let message = batch[index]
        if try await receive(message.bytes, message.range) { replyRequested = true }
      }
      // What was applied meanwhile is no silence of the server's.
      if !batch.isEmpty { lastHeard = .now }
      let silence = ContinuousClock.now - lastHeard
      if silence > options.silenceTimeout {
        throw PostgresError(PostgresError.timedOut, "The server has sent nothing for \(silence).")
      }
      let isQuiet = silence >= request && .now - lastRequest >= request
      if replyRequested || mustConfirm || isQuiet || .now - lastStatus >= options.statusInterval {
        try await sendStatus(replyRequested: isQuiet)
      }
      if .now >= nextCheck {
        try await check()
        // The answer has how far the server is, up to where truncations are looked for.
        if loop.awaitedTruncations != nil { try await sendStatus(replyRequested: true) }
      }
    }
  }

  /// Compares the definitions, and reads how far the server is.
  private func check() async throws {
    let deadline = ContinuousClock.now + options.silenceTimeout / 4
    do {
      try await loop.checkDefinitions(until: deadline)
      let slot = loop.source.slot.name
      if let log = try await loop.catalog.log(slot, until: deadline) {
        engine.update { status in
          status.serverLSN = max(status.serverLSN, log.end)
          status.retainedBytes = log.retained
        }
      }
    } catch let error as PostgresError where error.code != PostgresError.definitionChanged {
      // The stream is what counts: if the server is gone, it will notice.
    }
    lastCheck = .now
  }

  private func sendStatus(replyRequested: Bool) async throws {
    mustConfirm = false
    if replyRequested { lastRequest = .now }
    try await channel.send(status(replyRequested: replyRequested), until: .now + options.silenceTimeout)
  }

  /// Says that the replica is there while it applies a long transaction, without a wait.
  private func sendBeat() {
    guard .now - lastStatus >= options.statusInterval else { return }
    // If the connection is lost, what has come is applied all the same; the next receipt says so.
    try? channel.sendWithoutWaiting(status(replyRequested: false))
  }

  private func status(replyRequested: Bool) -> [UInt8] {
    let applied = loop.position ?? LogSequenceNumber(rawValue: 0)
    let clock = Int64((Date().timeIntervalSinceReferenceDate + 366 * 86_400) * 1e6)
    lastStatus = .now
    return ReplicationFrame.statusUpdate(
      written: applied, flushed: applied, applied: applied, clock: clock, replyRequested: replyRequested)
  }

  /// - Returns: whether the server asks for a status update.
  private func receive(_ bytes: [UInt8], _ range: Range<Int>) async throws -> Bool {
    switch try ReplicationFrame.parse(bytes, range) {
    case .data(_, let end, _, let payload):
      engine.update {
        $0.receivedLSN = max($0.receivedLSN, end)
        $0.serverLSN = max($0.serverLSN, end)
      }
      try await receiveChange(bytes, payload)
      return false
    case .keepalive(let end, _, let replyRequested):
      engine.update { $0.serverLSN = max($0.serverLSN, end) }
      // What was committed before has been sent, and open large transactions end later (Z3).
      if current == nil, end > loop.position ?? end {
        loop.position = end
        mustConfirm = true
        engine.reach(end)
      } else if current == nil {
        engine.reach(end)
      }
      return replyRequested
    }
  }

  private func receiveChange(_ bytes: [UInt8], _ range: Range<Int>) async throws {
    let kind = range.isEmpty ? 0 : bytes[range.lowerBound]
    let (isBehindRoot, partition) = (hasDescribedRoot, describedPartition)
    // The types of its columns are described before a partition, too.
    if kind != UInt8(ascii: "Y") { (hasDescribedRoot, describedPartition) = (false, nil) }
    switch kind {
    case UInt8(ascii: "I"), UInt8(ascii: "U"), UInt8(ascii: "D"):
      if let partition { received { $0.partitions.insert(partition) } }
      return try append(bytes, range)
    case UInt8(ascii: "T"): return try append(bytes, range)
    default: break
    }
    let (_, message) = try LogicalMessage.parse(bytes, range, inStream: stream != nil)
    switch message {
    case .begin(_, _, let xid):
      current = newTransaction(xid)
    case .commit(_, let end, let time):
      guard let transaction = current else { throw unexpected(message) }
      current = nil
      let ended = ReplicaTransaction(lsn: end, xid: transaction.xid, commitTime: time)
      try await apply(transaction, ended, inStream: false)
    case .relation(let relation):
      guard loop.isFollowed(relation) else {
        if isBehindRoot { describedPartition = relation.id }
        return
      }
      hasDescribedRoot = true
      mustCheck = true
      try append(bytes, range)
      received { $0.typeIDs.formUnion(relation.columns.map(\.typeID)) }
    case .streamStart(let xid, let isFirst):
      if isFirst { streamed[xid] = newTransaction(xid) }
      guard streamed[xid] != nil else { throw unexpected(message) }
      stream = xid
    case .streamStop:
      stream = nil
      try streamed.values.map(\.spool).limitMemory(to: options.transactionMemory)
    case .streamAbort(let xid, let subtransaction):
      if xid == subtransaction { streamed[xid] = nil } else { streamed[xid]?.spool.abort(subtransaction) }
    case .streamCommit(let xid, _, let end, let time):
      guard let transaction = streamed.removeValue(forKey: xid) else { throw unexpected(message) }
      try await apply(transaction, ReplicaTransaction(lsn: end, xid: xid, commitTime: time), inStream: true)
    case .origin, .type, .message: break
    case .insert, .update, .delete, .truncate: throw unexpected(message)
    }
  }

  /// Changes what is known of the transaction that messages come of.
  private func received(_ change: (inout ReceivedTransaction) -> Void) {
    guard var transaction = stream.map({ streamed[$0] }) ?? current else { return }
    change(&transaction)
    if let stream { streamed[stream] = transaction } else { current = transaction }
  }

  private func newTransaction(_ xid: UInt32) -> ReceivedTransaction {
    ReceivedTransaction(xid: xid, spool: TransactionSpool(limit: options.transactionMemory))
  }

  private func unexpected(_ message: LogicalMessage) -> PostgresError {
    PostgresError(PostgresError.protocolViolation, "The server sent a message out of its order: \(message).")
  }

  /// Collects a message of the transaction that is open.
  private func append(_ bytes: [UInt8], _ range: Range<Int>) throws {
    if let stream, let transaction = streamed[stream] {
      // The number of the subtransaction follows the kind of the message.
      let subtransaction = try number(bytes, range, at: 1)
      guard try isNeeded(bytes, range, relationAt: 5) else { return }
      return try transaction.spool.append(bytes, range, subtransaction: subtransaction)
    }
    guard let current else {
      throw PostgresError(
        PostgresError.protocolViolation, "The server sent a change outside of a transaction.")
    }
    guard try isNeeded(bytes, range, relationAt: 1) else { return }
    try current.spool.append(bytes, range, subtransaction: current.xid)
  }

  /// Whether a message is no change of a row of a relation that is not followed.
  private func isNeeded(_ bytes: [UInt8], _ range: Range<Int>, relationAt offset: Int) throws -> Bool {
    switch bytes[range.lowerBound] {
    case UInt8(ascii: "I"), UInt8(ascii: "U"), UInt8(ascii: "D"):
      loop.tables[try number(bytes, range, at: offset)] != nil
    default: true
    }
  }

  private func number(_ bytes: [UInt8], _ range: Range<Int>, at offset: Int) throws -> UInt32 {
    var reader = ByteReader(bytes, min(range.lowerBound + offset, range.upperBound)..<range.upperBound)
    return try reader.integer(UInt32.self)
  }

  // MARK: Applying

  /// - Parameter inStream: whether the messages have the numbers of subtransactions.
  private func apply(
    _ received: ReceivedTransaction, _ transaction: ReplicaTransaction, inStream: Bool
  ) async throws {
    loop.describedPartitions.formUnion(received.partitions)
    if mustCheck {
      mustCheck = false
      do {
        try await loop.checkDefinitions(until: .now + options.silenceTimeout / 4)
      } catch let error as PostgresError where error.code != PostgresError.definitionChanged {
        // The server describes tables without a cause, too, and may admit no other connection: the next look is as good.
      }
    }
    // A type that the transaction made can be read about now that it has ended.
    if received.typeIDs.contains(where: { !loop.types.isKnown($0) }) { try await loop.loadTypes() }
    try await commit(received, transaction, inStream)
    loop.position = transaction.lsn
    mustConfirm = true
    if let row = loop.refused.mended { throw RefusedRows.changed(row.refusal.error.table) }
  }

  /// Commits a transaction without the changes of the tables that are stopped. Each table that refuses a row of it is.
  private func commit(
    _ received: ReceivedTransaction, _ transaction: ReplicaTransaction, _ inStream: Bool
  ) async throws {
    let (readers, columns, stoppedBefore) = (loop.readers, loop.labelColumns, loop.refused.stopped)
    // The rows that are left out may be many, and are changed only at the end.
    var stopped = stoppedBefore
    var hasComparedLabels = false
    while true {
      do {
        let version = try await engine.apply(isDecided: { UInt32(truncatingIfNeeded: $0) == transaction.xid })
        { tx in
          // Each store reads the messages from the beginning.
          (loop.readers, loop.labelColumns, loop.refused.stopped) = (readers, columns, stopped)
          loop.beginChanges()
          var count = 0
          try received.spool.forEach { bytes, range, _ in
            count += 1
            if count.isMultiple(of: Self.beat) { sendBeat() }
            let (_, message) = try LogicalMessage.parse(bytes, range, inStream: inStream)
            try loop.apply(message, of: transaction.xid, to: &tx)
          }
          try loop.finishChanges(in: &tx)
        }
        loop.takeLeftOut()
        loop.reportRefused()
        return engine.reach(transaction.lsn, transaction, version)
      } catch {
        (loop.readers, loop.labelColumns, loop.refused.stopped) = (readers, columns, stoppedBefore)
        if error is UnknownLabel {
          if hasComparedLabels { throw Definitions.changed() }
          try await loop.checkDefinitions(until: .now + options.silenceTimeout / 4)
          hasComparedLabels = true
          continue
        }
        // Rows may be in the way that a partition had which is truncated, or detached.
        if loop.awaitedTruncations != nil { throw Definitions.changed() }
        guard let row = error as? RefusedRow else { throw error }
        stopped[row.table] = row
      }
    }
  }
}
