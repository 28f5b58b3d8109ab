import Dispatch
import Foundation

/// The signals that ask the service to end, SIGINT and SIGTERM, as long as this exists.
final class Signals {
  /// Each signal that comes. A second one ends the process, as if none were handled.
  let numbers: AsyncStream<Int32>
  private let sources: [any DispatchSourceSignal]

  init() {
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
    numbers = stream
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler {
        signal(number, SIG_DFL)
        continuation.yield(number)
      }
      source.resume()
      return source
    }
  }
}
