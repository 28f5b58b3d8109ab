import Dispatch
import Foundation

/// The signals that the tool handles, as long as this exists.
final class Signals {
  /// Each signal that comes.
  let numbers: AsyncStream<Int32>
  private let sources: [any DispatchSourceSignal]

  /// - Parameter all: the signals; that of a new size of the terminal is left as it is.
  init(_ all: [Int32] = [SIGINT, SIGTERM, SIGHUP]) {
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
    numbers = stream
    sources = all.map { number in
      if number != SIGWINCH { signal(number, SIG_IGN) }
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { continuation.yield(number) }
      source.resume()
      return source
    }
  }

  deinit {
    for source in sources { source.cancel() }
  }
}
