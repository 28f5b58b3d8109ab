/// What a message of the replication stream is: changes, or a sign of life.
///
/// Times are in microseconds since 2000-01-01 UTC.
package enum ReplicationFrame: Sendable, Equatable {
  /// A message of the output plugin, which is in part of the array.
  case data(start: LogSequenceNumber, end: LogSequenceNumber, sendTime: Int64, payload: Range<Int>)
  case keepalive(end: LogSequenceNumber, sendTime: Int64, replyRequested: Bool)

  package static func parse(_ bytes: [UInt8], _ range: Range<Int>) throws -> ReplicationFrame {
    var reader = ByteReader(bytes, range)
    switch try reader.byte() {
    case UInt8(ascii: "w"):
      let start = try reader.position()
      let end = try reader.position()
      let time = try reader.integer(Int64.self)
      return .data(start: start, end: end, sendTime: time, payload: reader.position..<reader.end)
    case UInt8(ascii: "k"):
      let end = try reader.position()
      let time = try reader.integer(Int64.self)
      let replyRequested = try reader.byte() != 0
      try reader.finish()
      return .keepalive(end: end, sendTime: time, replyRequested: replyRequested)
    case let kind:
      throw PostgresError.violation("The replication stream has a message of kind \(kind).")
    }
  }

  package static func parse(_ bytes: [UInt8]) throws -> ReplicationFrame { try parse(bytes, bytes.indices) }

  /// The bytes of a standby status update, which tells the server how far a replica is.
  ///
  /// - Parameter clock: the time of the replica.
  package static func statusUpdate(
    written: LogSequenceNumber, flushed: LogSequenceNumber, applied: LogSequenceNumber, clock: Int64,
    replyRequested: Bool
  ) -> [UInt8] {
    var bytes = [UInt8(ascii: "r")]
    for number in [written.rawValue, flushed.rawValue, applied.rawValue, UInt64(bitPattern: clock)] {
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
    bytes.append(replyRequested ? 1 : 0)
    return bytes
  }
}
