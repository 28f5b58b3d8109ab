import LiveStore
import Metrics
import Synchronization

/// The live queries of all clients that ask the same, and what their changes are as text.
///
/// It follows them as one observer, and encodes each step once. Clients ask for what is behind their version and wait
/// here when there is nothing: a client that does not ask costs nothing, and gets merged changes when it comes back.
///
/// State, all of it the actor's: `result`, the newest one; `ring`, the steps that led to it; `difference`, the one that is being
/// made; `waiting`, clients by number; `end`, why there will be no more.
actor StreamHub {
  nonisolated let source: StreamSource
  private let pace: StreamPace
  private let metrics: ServerMetrics
  private var result: StreamResult
  private var ring: StepRing
  private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  private var lastWaiting = 0
  /// One at a time, so that clients at many versions do not make the memory of many.
  private var difference: (from: Version, step: Task<EncodedStep?, any Error>)?
  private var end: StreamEnd?
  private let hasEnded = Atomic(false)

  /// Whether there will be no more, so that a client needs another hub.
  nonisolated var isOver: Bool { hasEnded.load(ordering: .acquiring) }

  /// What comes after the first result, for `run` alone.
  private let newer: LiveValues<[any Sendable]>.Iterator

  /// - Throws: `filterTooExpensive`, `unknownEntity`, `closed`.
  init(_ source: StreamSource, _ pace: StreamPace, _ metrics: ServerMetrics) throws {
    let newer = source.observe().makeAsyncIterator()
    guard let first = try newer.nextIfReady() else { throw StreamResponder.error(.ended) }
    result = try source.result(of: first)
    (self.source, self.pace, self.metrics, self.newer) = (source, pace, metrics, newer)
    ring = StepRing(
      at: result.version.number, rowCount: result.count, limit: pace.stepsKept, byteLimit: pace.bytesKept)
  }

  /// Follows the query until the task is cancelled.
  func run() async {
    let ticks = Task { [pace, weak self] in
      while (try? await Task.sleep(for: pace.tick)) != nil { await self?.tick() }
    }
    defer { ticks.cancel() }
    var newer = newer
    do throws(StoreError) {
      while let values = try await newer.next(isolation: self) {
        let clients = waiting.count
        await advance(to: try source.result(of: values))
        if end != nil { return }
        // Commits that come meanwhile are merged; after some rest, one goes out at once.
        try? await Task.sleep(for: pace.rest(after: clients))
      }
    } catch {
      return finish(.failed(error))
    }
    finish(.ended)
  }

  /// Takes a newer result, and encodes what leads to it.
  private func advance(to newest: StreamResult) async {
    guard newest.version.number > ring.version else { return }
    let before = Version(ring.version)
    let origin = await source.origin(after: before, through: newest.version)
    // While it waited, a tick may have taken this result or one between.
    guard end == nil, newest.version.number > ring.version else { return }
    do {
      let messages = try newest.step(
        from: result, origin: ring.version == before.number ? origin : nil, limit: pace.bytesInStep)
      result = newest
      guard let messages else {
        // So much goes out in parts, as a snapshot.
        ring.restart(at: newest.version.number, rowCount: newest.count)
        return wake()
      }
      if messages.isEmpty {
        ring.extend(to: newest.version.number)
      } else {
        metrics.steps.increment()
        ring.append(EncodedStep(from: ring.current, to: source.mark(newest), messages))
        wake()
      }
    } catch {
      finish(.unencodable)
    }
  }

  /// Looks whether the result is still the newest, and wakes all clients.
  ///
  /// Offsets of clients would otherwise fall out of the store's history, and each client has something to do from time to time.
  private func tick() async {
    await check()
    wake()
  }

  /// Takes the newest result, also if no event has come.
  func check() async {
    guard end == nil else { return }
    let newest = source.observe().makeAsyncIterator()
    guard let values = try? newest.nextIfReady(), let result = try? source.result(of: values) else { return }
    await advance(to: result)
  }

  private func finish(_ end: StreamEnd) {
    if self.end == nil { self.end = end }
    hasEnded.store(true, ordering: .releasing)
    wake()
  }

  private func wake() {
    let all = waiting
    waiting = [:]
    for continuation in all.values { continuation.resume() }
  }

  /// The newest result, with its mark.
  var newest: (result: StreamResult, mark: StreamMark) {
    (result, source.mark(result, at: Version(ring.version)))
  }

  /// What a client at a version needs, after waiting a while if there is nothing.
  ///
  /// - Parameters:
  ///   - version: the version; nil for a client that has none which can be continued.
  ///   - waits: whether to wait.
  /// - Throws: what a value's encoder throws.
  func next(after version: Version?, waits: Bool) async throws -> StreamEvent {
    guard let version else { return end.map(StreamEvent.end) ?? snapshot }
    if version.number > ring.version { await check() }
    if let event = try await event(after: version) { return event }
    if waits {
      await wait()
      if let event = try await event(after: version) { return event }
    }
    return version.number > ring.version ? .behind : .idle(newest.mark)
  }

  private var snapshot: StreamEvent { .snapshot(result, newest.mark) }

  private func event(after version: Version) async throws -> StreamEvent? {
    while true {
      if let end { return .end(end) }
      switch ring.next(after: version.number) {
      case .upToDate: return nil
      case .steps(let steps): return .steps(steps)
      case .snapshot: return snapshot
      case .difference:
        // What is newer than the hub's own result will come.
        if version.number > ring.version { return nil }
        let (from, made) = await nextDifference(from: version)
        // Another client's may have come first.
        guard from == version else { continue }
        if case .failure = made {
          // A value that has no JSON form here may have one by now.
          let known = ring.version
          await check()
          if ring.version > known { continue }
        }
        guard let step = try made.get() else { return end.map(StreamEvent.end) ?? snapshot }
        if case .steps(let steps) = ring.next(after: version.number) { return .steps(steps) }
        return step.isEmpty ? .idle(step.mark) : .steps([step])
      }
    }
  }

  /// Waits for the difference that is being made, or makes one from a version to the newest result.
  private func nextDifference(
    from version: Version
  ) async -> (from: Version, step: Result<EncodedStep?, any Error>) {
    let difference =
      self.difference ?? (
        version, Self.difference(source, from: version, to: newest, limit: pace.bytesInStep)
      )
    self.difference = difference
    let step = await difference.step.result
    // The first client to see that it is done puts it into the ring.
    if self.difference?.step == difference.step {
      self.difference = nil
      if case .success(let step) = step { ring.add(step, from: difference.from.number) }
    }
    return (difference.from, step)
  }

  /// Makes the step from a version to a result, away from the actor.
  private static func difference(
    _ source: StreamSource, from version: Version, to newest: (result: StreamResult, mark: StreamMark),
    limit: Int
  ) -> Task<EncodedStep?, any Error> {
    Task {
      try await source.difference(from: version, to: newest.result, limit: limit)
        .map { EncodedStep(from: [version.number], to: newest.mark, $0) }
    }
  }

  /// Waits for the next step, or the next tick.
  func wait() async {
    lastWaiting += 1
    let number = lastWaiting
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled || end != nil {
          continuation.resume()
        } else {
          waiting[number] = continuation
        }
      }
    } onCancel: {
      Task { await self.cancel(number) }
    }
  }

  private func cancel(_ number: Int) { waiting.removeValue(forKey: number)?.resume() }
}

/// Why a stream ends before its time.
enum StreamEnd: Sendable {
  /// The store was closed, or the server stops.
  case ended
  /// The query has an error.
  case failed(StoreError)
  /// A value has no JSON form.
  case unencodable
}

/// What a client gets next.
enum StreamEvent: Sendable {
  /// Nothing yet; the result is the one at the mark.
  case idle(StreamMark)
  /// Nothing yet, and what is known is older than what the client has.
  case behind
  case steps([EncodedStep])
  /// This result as a whole.
  case snapshot(StreamResult, StreamMark)
  case end(StreamEnd)
}

/// How often a hub does what it does.
struct StreamPace: Sendable {
  let tick: Duration
  let shortestRest: Duration
  let stepsKept: Int
  let bytesKept: Int
  /// A larger step is not made; its clients get a snapshot, which goes out in parts.
  let bytesInStep: Int

  /// How long after a step the next one is made: about as long as it takes to write one to all clients.
  func rest(after clients: Int) -> Duration { max(shortestRest, .microseconds(40 * clients)) }
}
