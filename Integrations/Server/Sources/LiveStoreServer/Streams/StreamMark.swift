import NIOCore

/// Where a client is after what it got, and whether that is all there is.
struct StreamMark: Sendable {
  let offset: StreamOffset
  /// How many rows the result has there; nil if the client does not get them.
  let rowCount: Int?

  /// The control event of server-sent events.
  ///
  /// - Parameter cursor: the cursor that the client sent.
  func control(isUpToDate: Bool, after cursor: String?) -> String {
    let count = rowCount.map { ",\"rowCount\":\($0)" } ?? ""
    let upToDate = isUpToDate ? ",\"upToDate\":true\(count)" : ""
    return "event: control\ndata: {\"streamNextOffset\":\"\(offset)\",\"streamCursor\":"
      + "\"\(StreamCursor.now(after: cursor))\"\(upToDate)}\n\n"
  }
}

/// What leads from one version of a result to a later one, encoded once for all clients.
struct EncodedStep: Sendable {
  /// The versions at which the result from which it starts was looked at.
  let base: [UInt64]
  let mark: StreamMark
  /// Messages with commas between them.
  let messages: ByteBuffer
  /// The same as an event, with a mark that says that it is the newest.
  let event: ByteBuffer

  init(from base: [UInt64], to mark: StreamMark, _ messages: [UInt8]) {
    (self.base, self.mark) = (base, mark)
    self.messages = ByteBuffer(bytes: messages)
    event = Self.event(self.messages, mark, isUpToDate: true, after: nil)
  }

  /// The messages as an event, and the mark behind it.
  ///
  /// - Parameters:
  ///   - isUpToDate: whether it is the newest step.
  ///   - cursor: the cursor that the client sent.
  static func event(
    _ messages: ByteBuffer, _ mark: StreamMark, isUpToDate: Bool, after cursor: String?
  ) -> ByteBuffer {
    var event = ByteBuffer()
    event.reserveCapacity(messages.readableBytes + 256)
    event.writeString("event: data\ndata: [")
    event.writeImmutableBuffer(messages)
    event.writeString("]\n\n" + mark.control(isUpToDate: isUpToDate, after: cursor))
    return event
  }

  var size: Int { 2 * messages.readableBytes }

  /// Whether a client sees no difference.
  var isEmpty: Bool { messages.readableBytes == 0 }
}
