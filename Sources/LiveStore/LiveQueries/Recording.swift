// Recorded times.
//
// While a `TimingRecording` lives, commits, upkeep and deliveries are measured. The registry then has a
// `Recording`, and nothing else: without one, a commit, a step of upkeep and an event read one flag each.
//
// - **L18** A recording is bounded by what is observed: two sets of counts for a query, a time for an observer
//   that is to get an event, the newest 256 commits, and a time in each state that is alive.
// - **L19** A delivery takes from the first commit that changed the observer's result after its last event,
//   until the observer is given the event: a stream when its `next()` has it, a handler when it is about to be
//   called, a model when its actor takes the value. A difference that is no event for the observer ends the time
//   without a count. A step of upkeep holds the state before it, which has the time of the next version: so
//   it does not matter how many commits wait, and that not all of them are listed.

import Foundation

/// What is measured while times are recorded, in bounded room (L18). A part of the registry.
struct Recording {
  /// The times of one query.
  struct QueryTimes: Sendable {
    var upkeep = DurationCounts()
    var delivery = DurationCounts()
    var lastEvent: (version: Version, date: Date, counts: ChangeCounts)?

    mutating func add(_ duration: Duration, _ event: (version: Version, date: Date, counts: ChangeCounts)?) {
      delivery.add(duration)
      if let event { lastEvent = event }
    }
  }

  /// What an observer waits for.
  private struct Awaited {
    /// When the first commit was published that changed its result after its position.
    var since: RecordedTime?
    /// The same for the event that it is about to be given.
    var sinceInEvent: RecordedTime?
    var event: (version: Version, counts: ChangeCounts?)?
  }

  static let maximumCommits = 256

  /// A moment in two forms, to give others as dates.
  private let begin: (time: RecordedTime, date: Date)
  /// The number of live `TimingRecording`s.
  var count = 1
  private var times: [UInt64: QueryTimes] = [:]
  /// By observer.
  private var awaited: [UInt64: Awaited] = [:]
  /// The newest commits; the oldest is at `oldest` once there are as many as are listed.
  private var commits: [RecordedCommit] = []
  private var oldest = 0

  init(at time: RecordedTime, date: Date) {
    begin = (time, date)
    commits.reserveCapacity(Self.maximumCommits)
  }

  func times(of query: UInt64) -> QueryTimes? { times[query] }

  private func date(_ time: RecordedTime) -> Date {
    begin.date + (time - begin.time) / .seconds(1)
  }

  // MARK: Commits

  /// Versions ascend: commits are recorded under the write lock.
  mutating func add(_ commit: RecordedCommit) {
    if commits.count < Self.maximumCommits { return commits.append(commit) }
    commits[oldest] = commit
    oldest = (oldest + 1) % Self.maximumCommits
  }

  /// The commits, oldest first.
  var datedCommits: [(commit: RecordedCommit, date: Date)] {
    (commits[oldest...] + commits[..<oldest]).map { ($0, date($0.time)) }
  }

  // MARK: Upkeep and deliveries

  mutating func addUpkeep(of query: UInt64, _ duration: Duration) {
    times[query, default: QueryTimes()].upkeep.add(duration)
  }

  /// The result of some observers was changed.
  ///
  /// - Parameter since: when the first commit was published that changed it; nil if that was not recorded.
  mutating func awaitEvents(of observers: some Sequence<UInt64>, since: RecordedTime?) {
    guard let since else { return }
    for id in observers where awaited[id]?.since == nil { awaited[id, default: Awaited()].since = since }
  }

  /// An observer's position was moved to the newest result. What follows is a part of its next event but one, unless
  /// the event is not delivered.
  mutating func move(_ observer: UInt64) {
    guard let index = awaited.index(forKey: observer), let since = awaited.values[index].since.take() else {
      return
    }
    if awaited.values[index].sinceInEvent == nil { awaited.values[index].sinceInEvent = since }
  }

  /// An observer is about to be given an event.
  mutating func announce(_ version: Version, _ counts: ChangeCounts?, to observer: UInt64) {
    // A model's actor may have taken it already.
    if awaited[observer]?.sinceInEvent != nil { awaited[observer]?.event = (version, counts) }
  }

  /// An observer was given the event that was announced.
  mutating func deliver(to observer: UInt64, of queries: [UInt64], at now: RecordedTime) {
    let found = awaited[observer]
    // Also without an event, which a model's actor took before it was announced: the next one begins after it.
    endEvent(of: observer)
    guard let event = found?.event, let since = found?.sinceInEvent else { return }
    let date = date(now)
    for query in queries {
      times[query, default: QueryTimes()].add(now - since, event.counts.map { (event.version, date, $0) })
    }
  }

  /// The changes up to an observer's position are delivered, or are no event for it.
  mutating func endEvent(of observer: UInt64) {
    guard let index = awaited.index(forKey: observer) else { return }
    if awaited.values[index].since == nil {
      awaited.remove(at: index)
    } else {
      awaited.values[index].sinceInEvent = nil
      awaited.values[index].event = nil
    }
  }

  /// An observer observes no longer.
  mutating func forget(observer: UInt64) { awaited[observer] = nil }
  /// A query is not maintained any more.
  mutating func forget(query: UInt64) { times[query] = nil }
}

/// A commit, as it is listed.
struct RecordedCommit: Sendable {
  let version: Version
  /// When its body began and ended, and when it was published.
  let start: RecordedTime
  let end: RecordedTime
  let time: RecordedTime
  let origin: String?
  /// How many rows it changed in the first table, and in others; most commits need no array.
  let firstRows: (table: Int, count: Int)?
  let otherRows: [(table: Int, count: Int)]

  var rows: [(table: Int, count: Int)] { (firstRows.map { [$0] } ?? []) + otherRows }
  var body: Duration { end - start }
  var commit: Duration { time - end }
}
