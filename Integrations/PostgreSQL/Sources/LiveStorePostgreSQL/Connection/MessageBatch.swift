import CPostgreSQL

/// Messages that arrived together, with their bytes one behind the other in one array.
///
/// An array for each message would cost an allocation and a reference count each.
package struct MessageBatch: Sendable {
  /// The bytes of all messages.
  private(set) var bytes: [UInt8] = []
  /// Where each message ends in `bytes`.
  private var ends: [Int] = []

  package init() {}

  init(capacity: Int, bytes count: Int) {
    bytes.reserveCapacity(count)
    ends.reserveCapacity(capacity)
  }

  package mutating func append(_ message: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: message)
    ends.append(bytes.count)
  }
}

extension MessageBatch: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { ends.count }
  package subscript(index: Int) -> MessageBytes {
    MessageBytes(bytes: bytes, range: (index == 0 ? 0 : ends[index - 1])..<ends[index])
  }
}

/// One message: a range of the bytes of its batch, which it keeps.
package struct MessageBytes: Sendable {
  /// The bytes of the batch.
  let bytes: [UInt8]
  /// The place of the message in `bytes`.
  let range: Range<Int>

  package var count: Int { range.count }

  /// The message alone.
  init(_ message: [UInt8]) { self.init(bytes: message, range: 0..<message.count) }

  init(bytes: [UInt8], range: Range<Int>) {
    (self.bytes, self.range) = (bytes, range)
  }

  /// Calls the closure with the message's bytes, which are valid during the call.
  package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[range])) }
  }
}
