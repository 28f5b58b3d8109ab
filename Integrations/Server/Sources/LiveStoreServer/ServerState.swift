import LiveStore
import Logging
import Synchronization

/// What all requests of a server share.
///
/// State: `streams` and `readers`, how many requests wait for changes, and read a whole result, guarded by their mutexes.
package final class ServerState: Sendable {
  let limits: StreamLimits
  let logger: Logger
  let hubs: HubRegistry
  private let streams = Mutex(0)
  private let readers = Mutex(0)

  init(_ limits: StreamLimits, _ logger: Logger) {
    (self.limits, self.logger) = (limits, logger)
    hubs = HubRegistry(limits)
  }

  /// How many requests wait for changes.
  package var streamCount: Int { streams.withLock { $0 } }

  /// How many requests read a whole result.
  package var readerCount: Int { readers.withLock { $0 } }

  /// How many queries are kept up to date.
  package var hubCount: Int { hubs.count }

  /// The place of one more request that reads a whole result.
  ///
  /// - Throws: an error with the status 429 if there is none.
  func readPermit() throws(ServerError) -> StreamPermit {
    let isFree = readers.withLock { readers in
      guard readers < limits.readers else { return false }
      readers += 1
      return true
    }
    guard isFree else { throw .tooManyStreams }
    return StreamPermit { [self] in readers.withLock { $0 -= 1 } }
  }

  /// The place of one more request that waits for changes.
  ///
  /// - Throws: an error with the status 429 if there is none.
  func permit() throws(ServerError) -> StreamPermit {
    let isFree = streams.withLock { streams in
      guard streams < limits.streams else { return false }
      streams += 1
      return true
    }
    guard isFree else { throw .tooManyStreams }
    return StreamPermit { [self] in streams.withLock { $0 -= 1 } }
  }
}

/// A place among the streams of a server, until it goes.
final class StreamPermit: Sendable {
  private let end: @Sendable () -> Void

  init(end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }
}
