import Synchronization

/// How many streams of events there may be at a time.
final class StreamLimit: Sendable {
  /// The most that there may be.
  let maximum: Int
  private let count = Mutex(0)

  init(_ maximum: Int) { self.maximum = maximum }

  /// A place for one more stream, which is free again when no reference to it is left; nil if all are taken.
  func place() -> Place? {
    let isFree = count.withLock { count in
      if count == maximum { return false }
      count += 1
      return true
    }
    return isFree ? Place(self) : nil
  }

  /// The place of a stream.
  final class Place: Sendable {
    private let limit: StreamLimit

    fileprivate init(_ limit: StreamLimit) { self.limit = limit }

    deinit { limit.count.withLock { $0 -= 1 } }
  }
}
