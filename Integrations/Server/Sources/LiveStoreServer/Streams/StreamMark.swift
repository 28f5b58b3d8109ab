import NIOCore

/// Where a client is after what it got, and whether that is all there is.
struct StreamMark: Sendable {
  let offset: StreamOffset
  /// How many rows the result has there; nil if the client does not get them.
  let rowCount: Int

  /// The control event of server-sent events.
  ///
  /// - Parameter cursor: the cursor that the client sent.
  func control(isUpToDate: Bool, after cursor: String?) -> String {
    let upToDate = isUpToDate ? ",\"upToDate\":true,\"rowCount\":\(rowCount)" : ""
    return "event: control\ndata: {\"streamNextOffset\":\"\(offset)\",\"streamCursor\":"
      + "\"\(StreamCursor.now(after: cursor))\"\(upToDate)}\n\n"
  }
}

/// What leads from one version of a result to a later one, encoded once for all clients.
struct EncodedStep: Sendable {
  /// The result from which it starts is that of each version in this range.
  let base: ClosedRange<UInt64>
  let mark: StreamMark
  /// Messages with commas between them.
  let messages: ByteBuffer
  /// The same as an event, with a mark that says that it is the newest.
  let event: ByteBuffer

  init(from base: ClosedRange<UInt64>, to mark: StreamMark, _ messages: [UInt8]) {
    (self.base, self.mark) = (base, mark)
    self.messages = ByteBuffer(bytes: messages)
    var event = ByteBuffer()
    event.reserveCapacity(messages.count + 256)
    event.writeString("event: data\ndata: [")
    event.writeBytes(messages)
    event.writeString("]\n\n")
    event.writeString(mark.control(isUpToDate: true, after: nil))
    self.event = event
  }

  var size: Int { 2 * messages.readableBytes }
}
