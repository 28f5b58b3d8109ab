import LiveStore
import Synchronization

/// The live query of all clients that ask the same, and what its changes are as text.
///
/// It follows the query as one observer, and encodes each step once. Clients ask for what is behind their version and wait
/// here when there is nothing: a client that does not ask costs nothing, and gets merged changes when it comes back.
///
/// State, all of it the actor's: `results`, the newest result; `ring`, the steps that led to it; `waiting`, clients by number;
/// `end`, why there will be no more.
actor StreamHub<Element: Entity> {
  nonisolated let source: StreamSource<Element>
  private let pace: StreamPace
  private var results: Results<Element>
  private var ring: StepRing
  private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  private var lastWaiting = 0
  private var end: StreamEnd?
  private let hasEnded = Atomic(false)

  /// Whether there will be no more, so that a client needs another hub.
  nonisolated var isOver: Bool { hasEnded.load(ordering: .acquiring) }

  /// What comes after the first result, for `run` alone.
  private let changes: LiveChanges<CollectionChange<Element>>

  /// - Throws: `filterTooExpensive`, `unknownEntity`, `closed`.
  init(_ source: StreamSource<Element>, _ pace: StreamPace) throws(StoreError) {
    let (results, changes) = try source.store.subscribe(source.query)
    if let error = results.error { throw error }
    (self.source, self.pace, self.results, self.changes) = (source, pace, results, changes)
    ring = StepRing(
      at: results.version.number, rowCount: results.count, limit: pace.stepsKept, byteLimit: pace.bytesKept)
  }

  /// Follows the query until the task is cancelled.
  func run() async {
    let ticks = Task { [pace, weak self] in
      while (try? await Task.sleep(for: pace.tick)) != nil { await self?.tick() }
    }
    defer { ticks.cancel() }
    for await change in changes {
      switch change {
      case .initial(let results): await advance(to: results, nil)
      case .update(let results, let changes): await advance(to: results, changes)
      case .error(let error): return finish(.failed(error))
      }
      if end != nil { return }
      // Commits that come meanwhile are merged; after some rest, one goes out at once.
      try? await Task.sleep(for: pace.rest(after: waiting.count))
    }
    finish(.ended)
  }

  /// Takes a newer result, and encodes what leads to it.
  ///
  /// - Parameter changes: the difference, if it is from the result that an observer had.
  private func advance(to newest: Results<Element>, _ changes: ChangeSet<Element>?) async {
    guard newest.version.number > ring.version else { return }
    let before = Version(ring.version)
    let origin = await source.origin(after: before, through: newest.version)
    // While it waited, a tick may have taken this result or one between.
    guard end == nil, newest.version.number > ring.version else { return }
    let known = changes.flatMap { $0.previous.version == results.version ? $0 : nil }
    do {
      let messages = try source.writer.step(
        known ?? results.changes(to: newest), origin: ring.version == before.number ? origin : nil)
      results = newest
      if messages.isEmpty {
        ring.extend(to: newest.version.number)
      } else {
        ring.append(EncodedStep(from: ring.current, to: source.mark(newest), messages))
        wake()
      }
    } catch {
      finish(.unencodable)
    }
  }

  /// Finds out that the result is still the newest, so that offsets of clients do not fall out of the history; wakes clients, which
  /// have something to do from time to time.
  private func tick() async {
    await check()
    wake()
  }

  /// Takes the newest result, also if no event has come.
  func check() async {
    guard end == nil, let newest = try? source.store.subscribe(source.query).value, newest.error == nil else {
      return
    }
    await advance(to: newest, nil)
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
  var newest: (results: Results<Element>, mark: StreamMark) {
    (results, source.mark(results, at: Version(ring.version)))
  }

  /// What a client at a version needs, after waiting a while if there is nothing.
  ///
  /// - Parameter waits: whether to wait.
  func next(after version: Version, waits: Bool) async -> StreamEvent<Element> {
    if version.number > ring.version { await check() }
    if let event = event(after: version) { return event }
    if waits {
      await wait()
      if let event = event(after: version) { return event }
    }
    return version.number > ring.version ? .behind : .idle(newest.mark)
  }

  private func event(after version: Version) -> StreamEvent<Element>? {
    if let end { return .end(end) }
    switch ring.next(after: version.number) {
    case .upToDate: return nil
    case .steps(let steps): return .steps(Array(steps))
    case .difference:
      // What is newer than the hub's own result will come.
      return version.number > ring.version ? nil : .difference(results, newest.mark)
    }
  }

  private func wait() async {
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
enum StreamEvent<Element: Entity>: Sendable {
  /// Nothing yet; the result is the one at the mark.
  case idle(StreamMark)
  /// Nothing yet, and what is known is older than what the client has.
  case behind
  case steps([EncodedStep])
  /// The difference from its own version to this result.
  case difference(Results<Element>, StreamMark)
  case end(StreamEnd)
}

/// How often a hub does what it does.
struct StreamPace: Sendable {
  let tick: Duration
  let shortestRest: Duration
  let stepsKept: Int
  let bytesKept: Int

  /// How long after a step the next one is made: about as long as it takes to write one to all clients.
  func rest(after clients: Int) -> Duration { max(shortestRest, .microseconds(40 * clients)) }
}
