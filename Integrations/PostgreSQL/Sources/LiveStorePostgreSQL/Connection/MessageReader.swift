import CPostgreSQL

/// Takes the messages of a copy or of a replication stream out of libpq.
struct MessageReader: Sendable {
  /// What has been taken.
  var batch: MessageBatch
  /// Whether the server has sent all; libpq says so only once.
  private(set) var isAtEnd: Bool

  init(capacity: Int, bytes: Int, isAtEnd: Bool) {
    batch = MessageBatch(capacity: capacity, bytes: bytes)
    self.isAtEnd = isAtEnd
  }

  /// Appends messages to the batch, those that libpq holds and those in the socket, until the limit or until
  /// there are no more. It does not wait.
  ///
  /// Messages are taken before the socket is read again, so libpq's buffer does not grow.
  ///
  /// - Throws: if the connection is lost and the batch empty. If it is not, the next call throws.
  mutating func take(_ pointer: OpaquePointer, limit: Int, bytes maxBytes: Int) throws {
    var hasRead = false
    while !isAtEnd && batch.count < limit && batch.bytes.count < maxBytes {
      var bytes: UnsafeMutablePointer<CChar>?
      let count = PQgetCopyData(pointer, &bytes, 1)
      if count > 0, let bytes {
        batch.append(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        PQfreemem(bytes)
        hasRead = false
      } else if count == 0, hasRead {
        return
      } else if count == 0, PQconsumeInput(pointer) == 1 {
        hasRead = true
      } else if count == -1 {
        isAtEnd = true
      } else if batch.isEmpty {
        throw PostgresError.lost(pointer)
      } else {
        return
      }
    }
  }
}
