import LiveStore
package import Logging
import Metrics
import Synchronization

/// What all requests of a server share.
package final class ServerState: Sendable {
  let limits: StreamLimits
  let logger: Logger
  let metrics = ServerMetrics()
  let hubs: HubRegistry
  /// Of requests that wait for changes.
  let streams: Places
  /// Of requests that read a whole result.
  let readers: Places

  package init(_ limits: StreamLimits, _ logger: Logger) {
    (self.limits, self.logger) = (limits, logger)
    hubs = HubRegistry(limits, metrics)
    streams = Places(limits.streams, metrics.streams, .tooManyStreams)
    readers = Places(limits.readers, metrics.readers, .tooManyStreams)
  }

  /// How many requests wait for changes.
  package var streamCount: Int { streams.count }

  /// How many requests read a whole result.
  package var readerCount: Int { readers.count }

  /// How many queries are kept up to date.
  package var hubCount: Int { hubs.count }
}

extension StoreServer {
  /// How many requests wait for changes now, as live streams or long polls.
  ///
  /// ```swift
  /// router.get("status") { _, _ in "\(server.streamCount) streams" }
  /// ```
  /// - Complexity: O(1).
  public var streamCount: Int { state.streamCount }
}

/// Places that requests take up to a limit.
///
/// State: `taken`, how many are taken, guarded by its mutex.
final class Places: Sendable {
  private let limit: Int
  private let meter: Meter
  private let refusal: ServerError
  private let taken = Mutex(0)

  /// - Parameters:
  ///   - meter: reports how many are taken.
  ///   - refusal: the error if there is none.
  init(_ limit: Int, _ meter: Meter, _ refusal: ServerError) {
    (self.limit, self.meter, self.refusal) = (limit, meter, refusal)
  }

  /// How many are taken.
  var count: Int { taken.withLock { $0 } }

  /// One more place.
  ///
  /// - Throws: an error with the status 429 if there is none.
  func take() throws(ServerError) -> Place {
    let isFree = taken.withLock { taken in
      guard taken < limit else { return false }
      taken += 1
      return true
    }
    guard isFree else { throw refusal }
    meter.increment()
    return Place(self)
  }

  fileprivate func free() {
    taken.withLock { $0 -= 1 }
    meter.decrement()
  }
}

/// A place of a request, until it goes.
final class Place: Sendable {
  private let places: Places

  fileprivate init(_ places: Places) { self.places = places }

  deinit { places.free() }
}
