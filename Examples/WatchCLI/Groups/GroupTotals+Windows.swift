package import Foundation
import LiveStore

extension GroupTotals {
  /// How many windows a trend has.
  private static let trendLength = 30

  /// Takes in what the time is: objects that come now belong to its window, if they do not have a time themselves.
  package mutating func advance(to date: Date) {
    guard let every = options.every, every.isByArrival else { return }
    windows.arrival = every.number(of: UTCTime(date))
    if options.showsTrend { move(to: windows.arrival) }
  }

  /// Adds an object to its window of time. It stays there, whatever becomes of the object.
  mutating func add(_ document: Document, _ every: GroupWindow) {
    guard let window = every.isByArrival ? windows.arrival : every.number(of: document) else {
      windows.untimedCount += 1
      return
    }
    let key = key(of: document)
    if options.showsTrend { return add(document, key, toTrendAt: window) }
    if let limit = options.keptWindows {
      let (isKept, displaced) = windows.keep(window, limit: limit)
      for place in displaced { empty(place) }
      if !isKept {
        windows.lateCount += 1
        return
      }
    }
    add(1, values(of: document), at: place(of: [JSONValue(window)] + key))
  }

  private mutating func add(_ document: Document, _ key: [JSONValue], toTrendAt window: Int64) {
    move(to: window)
    let age = (windows.newest ?? window) - window
    guard age < Self.trendLength else {
      windows.lateCount += 1
      return
    }
    let place = place(of: key)
    updateTrend(at: place) { trend in
      if trend.isEmpty { trend = Array(repeating: 0, count: Self.trendLength) }
      trend[Self.trendLength - 1 - Int(age)] += 1
    }
    if age == 0 { add(1, values(of: document), at: place) }
  }

  /// Makes a window the newest, if it is newer: totals begin again, and trends move on.
  ///
  /// - Complexity: O(groups)
  private mutating func move(to window: Int64) {
    let newest = windows.newest ?? window
    windows.newest = max(newest, window)
    if window <= newest { return }
    let steps = Int(min(window - newest, Int64(Self.trendLength)))
    for place in groups.indices where !groups[place].trend.isEmpty {
      empty(Int32(place))
      updateTrend(at: Int32(place)) { trend in
        trend.removeFirst(steps)
        trend += Array(repeating: 0, count: steps)
      }
    }
  }
}
