import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes a connection behind a response that says so, whatever else its client has sent.
///
/// Hummingbird leaves closing to the client, and a connection with another request in it has no idle time after which it would be
/// closed.
///
/// State: `isLast`, of the event loop of its channel.
final class ClosingHandler: ChannelOutboundHandler, RemovableChannelHandler {
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// Whether the response under way is the last one.
  private var isLast = false

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let part = unwrapOutboundIn(data)
    if case .head(let head) = part { isLast = head.headerFields[.connection] == "close" }
    guard isLast, case .end = part else { return context.write(data, promise: promise) }
    let (written, channel) = (promise ?? context.eventLoop.makePromise(), context.channel)
    written.futureResult.whenComplete { _ in channel.close(promise: nil) }
    context.write(data, promise: written)
  }
}
