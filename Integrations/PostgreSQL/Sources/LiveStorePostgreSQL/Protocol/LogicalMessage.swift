/// A message of `pgoutput`, the output plugin of logical replication, in version 2 of its protocol.
///
/// Times are in microseconds since 2000-01-01 UTC.
package enum LogicalMessage: Sendable, Equatable {
  case begin(finalLSN: LogSequenceNumber, commitTime: Int64, xid: UInt32)
  case commit(commitLSN: LogSequenceNumber, endLSN: LogSequenceNumber, commitTime: Int64)
  case origin(String)
  case relation(RelationMessage)
  case type(id: UInt32, namespace: String, name: String)
  case insert(relation: UInt32, new: TupleData)
  /// A change of a row. `old` has the replica identity, with nulls elsewhere, or all columns if `isFullOld`; it is nil if
  /// the identity did not change. Values left out of `new` that `old` has are filled in.
  case update(relation: UInt32, old: TupleData?, isFullOld: Bool, new: TupleData)
  case delete(relation: UInt32, old: TupleData, isFullOld: Bool)
  case truncate(relations: [UInt32], options: TruncateOptions)
  case message(prefix: String, content: [UInt8], lsn: LogSequenceNumber, isTransactional: Bool)
  /// The beginning of a part of a large transaction that has not ended yet.
  case streamStart(xid: UInt32, isFirst: Bool)
  case streamStop
  case streamCommit(
    xid: UInt32, commitLSN: LogSequenceNumber, endLSN: LogSequenceNumber, commitTime: Int64)
  /// The end of a streamed transaction without effect; of one of its subtransactions if the ids differ.
  case streamAbort(xid: UInt32, subtransaction: UInt32)

  package struct TruncateOptions: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let cascade = TruncateOptions(rawValue: 1)
    package static let restartIdentity = TruncateOptions(rawValue: 2)
  }
}
