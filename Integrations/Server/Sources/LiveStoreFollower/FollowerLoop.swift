import AsyncHTTPClient
import Foundation
import LiveStore
import LiveStoreStreams
import NIOCore
import NIOHTTP1
import Synchronization

/// The task that follows a server: it connects, applies what comes, and connects again.
///
/// State, all of it the actor's: `entities`, rows that came and wait for their mark; `offset`, where the store is; `step` and
/// `origin`, of the rows that came; `isInSnapshot` and `isSnapshot`, whether they are those of a snapshot; `marks`, how many marks
/// have come.
actor FollowerLoop {
  private let engine: FollowerEngine
  private let reservation: WriteReservation
  private let address: FollowerAddress
  private let positions: [String: Int]
  private var entities: [any FollowedEntity]
  private var offset: String?
  private var step: String?
  private var origin: String?
  private var (isInSnapshot, isSnapshot) = (false, false)
  private var marks = 0

  init(
    _ engine: FollowerEngine, _ reservation: WriteReservation, _ entities: [any FollowedEntity],
    _ address: FollowerAddress
  ) {
    (self.engine, self.reservation, self.entities, self.address) = (engine, reservation, entities, address)
    positions = Dictionary(
      entities.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { first, _ in first })
  }

  private var options: FollowerOptions { engine.options }

  /// Follows until the task is cancelled, or a row cannot be decoded.
  func run() async {
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.timeout.connect = .nanoseconds(
      Int64(min(options.connectTimeout, .seconds(86_400)) / .nanoseconds(1)))
    configuration.httpVersion = .http1Only
    // Attempts are made, counted and reported here.
    configuration.connectionPool.retryConnectionEstablishment = false
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    await follow(client)
    try? await client.shutdown()
  }

  private func follow(_ client: HTTPClient) async {
    var backoff = Backoff(minimum: options.minimumDelay, maximum: options.maximumDelay)
    while !Task.isCancelled {
      let marksBefore = marks
      discard()
      let error: FollowerError
      do {
        try await connect(client)
        // A stream ends after a while; that is no failure. Those that began together need not connect together.
        if marks > marksBefore {
          backoff.reset()
          try? await Task.sleep(for: options.minimumDelay * Double.random(in: 0...1))
          continue
        }
        error = FollowerError(.invalidStream, "The stream ended before its first mark.")
      } catch let failure {
        error = Self.error(failure)
      }
      if Task.isCancelled { return }
      if error.code == .closed { return engine.close() }
      if marks > marksBefore { backoff.reset() }
      let isFirst = engine.status.version == nil
      if error.code == .undecodable || isFirst && Self.isFinal(error) { return engine.stop(error) }
      // The rows here are no basis for a difference.
      if error.code == .diverged { offset = nil }
      let delay = backoff.next()
      engine.fail(error, retryIn: delay)
      try? await Task.sleep(for: delay)
    }
  }

  /// Whether another attempt would end as this one, where nothing has been followed yet.
  private static func isFinal(_ error: FollowerError) -> Bool {
    if [.notFound, .unauthorized].contains(error.code) { return true }
    return error.code == .refused && (400..<500).contains(error.status ?? 0) && error.status != 429
  }

  private static func error(_ error: any Error) -> FollowerError {
    switch error {
    case let error as FollowerError: error
    case let error as StoreError where error.code == StoreError.closed:
      FollowerError(.closed, "The store was closed.")
    case let error as StoreError where error.code == StoreError.invalidSchema:
      FollowerError(.undecodable, "The store cannot have what the server has: \(error.message)")
    case let error as StoreError:
      FollowerError(.diverged, "A step of the server does not fit the rows: \(error.message)")
    default: FollowerError(.unreachable, "The connection failed: \(error)")
    }
  }

  // MARK: One connection

  /// Since when the task waits for the server; nil while it does not.
  private final class Wait: Sendable {
    private let start = Mutex<ContinuousClock.Instant?>(nil)

    func begin() { start.withLock { $0 = .now } }
    func end() { start.withLock { $0 = nil } }

    /// Throws once the wait is too long.
    func watch(_ limit: Duration) async throws {
      while true {
        try await Task.sleep(for: max(limit / 4, .milliseconds(1)))
        if let start = start.withLock({ $0 }), ContinuousClock.now - start > limit {
          throw FollowerError(.timedOut, "The server has sent nothing for \(limit).")
        }
      }
    }
  }

  private func connect(_ client: HTTPClient) async throws {
    let (wait, silence) = (Wait(), options.silence)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.read(client, wait) }
      group.addTask { try await wait.watch(silence) }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private var request: HTTPClientRequest {
    var request = HTTPClientRequest(url: address.url + "?offset=\(offset ?? "-1")&live=sse")
    if address.isSocket { request.headers.add(name: "Host", value: "localhost") }
    request.headers.add(name: "Accept", value: "text/event-stream")
    if let token = options.token { request.headers.add(name: "Authorization", value: "Bearer " + token) }
    for (name, value) in options.headers { request.headers.replaceOrAdd(name: name, value: value) }
    return request
  }

  private func read(_ client: HTTPClient, _ wait: Wait) async throws {
    let request = request
    wait.begin()
    let response = try await client.execute(request, deadline: .distantFuture)
    guard response.status == .ok else { throw await Self.refusal(response) }
    guard response.headers.first(name: "Content-Type")?.hasPrefix("text/event-stream") == true else {
      throw FollowerError(.invalidStream, "The server's answer is no stream of events.")
    }
    var parser = EventParser(streaming: "data")
    var splitter = MessageSplitter(limit: options.maximumRowBytes)
    for try await buffer in response.body {
      wait.end()
      engine.receive()
      try parser.read(Array(buffer.readableBytesView)) { piece in
        switch piece {
        case .bytes(let part): try splitter.read(part) { try take(FollowedMessage($0)) }
        case .end:
          guard splitter.isAtEnd, !isInSnapshot else {
            throw FollowerError(.invalidStream, "An event of the stream is cut.")
          }
          splitter = MessageSplitter(limit: options.maximumRowBytes)
        case .event("control", let data): try apply(Mark(data))
        case .event("error", let data): throw Self.refusal(data, status: nil)
        case .event: break
        }
      }
      try Task.checkCancellation()
      wait.begin()
      // A long snapshot is decoded between other tasks.
      await Task.yield()
    }
  }

  // MARK: What comes

  /// What a control event says.
  private struct Mark {
    let text: String
    let offset: StreamOffset
    let isUpToDate: Bool
    let rowCount: Int?

    init(_ data: [UInt8]) throws(FollowerError) {
      guard let json = String(validating: data, as: UTF8.self), let value = try? JSONValue(parsing: json),
        let text = value["streamNextOffset"].text, let offset = StreamOffset(text)
      else { throw FollowerError(.invalidStream, "The stream has a mark without an offset.") }
      (self.text, self.offset, isUpToDate) = (text, offset, value["upToDate"] == true)
      if case .number(let number) = value["rowCount"] {
        rowCount = number.integer.map { Int($0) }
      } else {
        rowCount = nil
      }
    }
  }

  private func discard() {
    for index in entities.indices { entities[index].discard() }
    (step, origin, isInSnapshot, isSnapshot) = (nil, nil, false, false)
  }

  private func take(_ message: FollowedMessage) throws(FollowerError) {
    switch message.kind {
    case .control(.reset): return
    case .control(.snapshotStart):
      discard()
      (step, isInSnapshot, isSnapshot) = (message.version, true, true)
      for index in entities.indices { entities[index].begin(isSnapshot: true) }
    case .control(.snapshotEnd): isInSnapshot = false
    default:
      guard let position = message.type.flatMap({ positions[$0] }) else {
        throw FollowerError(.invalidStream, "The stream has an entity that was not asked for.")
      }
      if step != message.version {
        origin = step == nil || origin == message.origin ? message.origin : nil
        step = message.version
        for index in entities.indices { entities[index].begin(isSnapshot: false) }
      }
      try entities[position].add(message.kind)
    }
  }

  /// Applies what came before a mark, as one commit.
  ///
  /// - Throws: `diverged` if the rows are not those of the server; then nothing is applied.
  private func apply(_ mark: Mark) throws {
    guard !isInSnapshot else { throw FollowerError(.invalidStream, "A snapshot of the stream has no end.") }
    let hasChanges = step != nil
    guard hasChanges || offset != nil else {
      throw FollowerError(.invalidStream, "The stream does not begin with a snapshot.")
    }
    for index in entities.indices { try entities[index].finish() }
    let store = engine.store
    if hasChanges {
      try store.write(using: reservation, origin: origin) { tx in
        for entity in entities { try entity.apply(to: &tx) }
        var count = 0
        for entity in entities { count += entity.count(in: tx) }
        try check(count, mark)
      }
    } else {
      let snapshot = store.snapshot()
      try check(entities.reduce(0) { $0 + $1.count(in: snapshot) }, mark)
    }
    let wasSnapshot = hasChanges ? isSnapshot : nil
    discard()
    offset = mark.text
    marks += 1
    engine.reach(mark.offset, isUpToDate: mark.isUpToDate, isSnapshot: wasSnapshot)
  }

  private func check(_ count: Int, _ mark: Mark) throws(FollowerError) {
    guard let rowCount = mark.rowCount, rowCount != count else { return }
    throw FollowerError(.diverged, "There are \(count) rows where the server has \(rowCount).")
  }
}

// MARK: Refusals

extension FollowerLoop {
  /// The error of an answer that is no stream.
  private static func refusal(_ response: HTTPClientResponse) async -> FollowerError {
    // What is longer is no error of a server of stores.
    let buffer = try? await response.body.collect(upTo: 65_536)
    return refusal(buffer.map { Array($0.readableBytesView) } ?? [], status: Int(response.status.code))
  }

  private static func refusal(_ body: [UInt8], status: Int?) -> FollowerError {
    let value = String(validating: body, as: UTF8.self).flatMap { try? JSONValue(parsing: $0) }
    let sentence = value?["error"]["message"].text.map { ": " + JSONValue.string($0).description } ?? "."
    let code: FollowerError.Code =
      switch status {
      case 401, 403: .unauthorized
      case 404: .notFound
      default: .refused
      }
    let answer = status.map { "The server answers with the status \($0)" } ?? "The server ended the stream"
    return FollowerError(code, answer + sentence, status: status)
  }
}
