import Foundation
import Testing

import LiveStore

/// The queue by itself: which query is taken next, when workers start, and what counts as a stall.
@Suite final class `The queue of upkeep` {
  private var queue = UpkeepQueue()
  private let usualWorkers = max(1, ProcessInfo.processInfo.activeProcessorCount - 1)

  // `#expect` does not call mutating methods.
  private func next(of kind: UpkeepQueue.Kind) -> UInt64? { queue.next(of: kind) }
  private func startWorkers() -> Int { queue.startWorkers() }
  private func scheduleStallCheck(hasCommits: Bool) -> Bool {
    queue.scheduleStallCheck(hasCommits: hasCommits)
  }
  private func checkForStall() -> (starts: UpkeepQueue.Kind?, checksAgain: Bool) {
    queue.checkForStall(hasCommits: false)
  }

  /// - Returns: all that are taken until there is none.
  private func takeAll(_ kind: UpkeepQueue.Kind) -> [UInt64] {
    var taken: [UInt64] = []
    while let id = queue.next(of: kind) { taken.append(id) }
    return taken
  }

  @Test func `queries that take microseconds are taken in the order in which they were added`() {
    for (id, cost) in [(3, 0.000_09), (1, 0.000_01), (2, 0.000_05)] as [(UInt64, Double)] {
      queue.add(id, cost: cost)
    }
    #expect(takeAll(.short) == [3, 1, 2])
    queue.add(7, cost: 0)
    #expect(takeAll(.short) == [7])
  }

  @Test func `many short queries keep their order while others are added`() {
    var (added, taken): (UInt64, [UInt64]) = (0, [])
    for round in 0..<400 {
      for _ in 0..<(round % 2 == 0 ? 20 : 5) {
        queue.add(added, cost: 0)
        added += 1
      }
      for _ in 0..<12 { if let id = queue.next(of: .short) { taken.append(id) } }
    }
    taken += takeAll(.short)
    #expect(taken == Array(0..<added))
  }

  @Test func `a query that takes long is not taken with the short ones`() {
    queue.add(1, cost: 0.01)
    queue.add(2, cost: 0.000_01)
    #expect(takeAll(.short) == [2])
    _ = queue.startWorkers()
    #expect(takeAll(.long) == [1])
  }

  @Test func `workers take the cheapest of a round first and later ones in the next round`() {
    for (id, cost) in [(1, 0.2), (2, 0.001), (3, 0.01)] as [(UInt64, Double)] { queue.add(id, cost: cost) }
    _ = queue.startWorkers()
    #expect(next(of: .long) == 2)
    queue.add(4, cost: 0.000_5)
    #expect(takeAll(.long) == [3, 1, 4])
  }

  @Test func `an extra worker takes short queries before long ones`() {
    queue.add(1, cost: 0.5)
    queue.add(2, cost: 0)
    queue.add(3, cost: 0.25)
    _ = queue.startWorkers()
    #expect(takeAll(.any) == [2, 3, 1])
  }

  @Test func `one core is left for what is short and no worker starts without work`() {
    #expect(startWorkers() == 0)
    for id: UInt64 in 0..<100 { queue.add(id, cost: 1) }
    #expect(startWorkers() == usualWorkers)
    #expect(startWorkers() == 0)
    #expect(takeAll(.long).count == 100)
    for _ in 1..<usualWorkers { #expect(next(of: .long) == nil) }
    queue.add(100, cost: 1)
    #expect(startWorkers() == 1, "workers that found nothing have ended")
  }

  @Test func `a stall check is scheduled once for what could wait for something else`() {
    #expect(!scheduleStallCheck(hasCommits: false))
    queue.add(1, cost: 0)
    #expect(!scheduleStallCheck(hasCommits: false), "one query waits for none")
    queue.add(2, cost: 0)
    #expect(scheduleStallCheck(hasCommits: false))
    #expect(!scheduleStallCheck(hasCommits: false))
  }

  @Test func `commits that wait for upkeep are reason enough for a stall check`() {
    #expect(scheduleStallCheck(hasCommits: true))
  }

  @Test(arguments: [0.0, 1.0])
  func `a stall check starts a worker if nothing was taken since the last check`(cost: Double) {
    let kind: UpkeepQueue.Kind = cost == 0 ? .short : .long
    for id: UInt64 in 0..<4 { queue.add(id, cost: cost) }
    _ = queue.startWorkers()
    #expect(scheduleStallCheck(hasCommits: false))
    _ = queue.next(of: kind)
    #expect(checkForStall() == (starts: nil, checksAgain: true))
    #expect(checkForStall() == (starts: cost == 0 ? .any : .long, checksAgain: true))
    _ = queue.next(of: kind)
    #expect(checkForStall() == (starts: nil, checksAgain: true))
    _ = takeAll(kind)
    #expect(checkForStall() == (starts: nil, checksAgain: false))
    for id: UInt64 in 0..<2 { queue.add(id, cost: cost) }
    #expect(scheduleStallCheck(hasCommits: false), "the check had ended and can be scheduled again")
  }

  @Test func `a queue that is emptied gives nothing`() {
    for id: UInt64 in 0..<3 {
      queue.add(id, cost: 0)
      queue.add(id + 10, cost: 1)
    }
    _ = queue.startWorkers()
    queue.removeAll()
    #expect(takeAll(.any).isEmpty)
  }
}
