import Foundation
import LiveStoreServer
import Synchronization

/// Shows a store in the terminal until a key or a signal ends it.
struct AttachLoop: Sendable {
  private let client: InspectorClient
  private let inbox = Inbox()
  /// How many rows of an entity are shown.
  private static let limit = 200

  init(_ client: InspectorClient) { self.client = client }

  /// - Throws: what keeps it from the first state; a signal.
  func run() async throws {
    var view = AttachView()
    view.state = try await client.state()
    let signals = Signals([SIGINT, SIGTERM, SIGHUP, SIGWINCH])
    let terminal = try Terminal()
    defer { terminal.restore() }
    let (keys, numbers, inbox) = (terminal.keys(), signals.numbers, inbox)
    let inputs = [
      Task { for await key in keys { inbox.put { $0.keys.append(key) } } },
      Task { for await number in numbers { inbox.put { $0.signals.append(number) } } },
      Task {
        await follow {
          try await client.states { state in inbox.put { $0.state = state } }
        } onFailure: { failure in
          inbox.put { ($0.state, $0.connectionMessage) = (nil, failure.message) }
          // A server that is started again may answer otherwise.
          return true
        }
      },
    ]
    var (open, attempt, rows): (AttachView.Rows?, Int, Task<Void, Never>?) = (nil, 0, nil)
    defer { (inputs + [rows].compactMap { $0 }).forEach { $0.cancel() } }
    var shown: [String] = []
    inbox.put { _ in }
    for await _ in inbox.wakes {
      let new = inbox.take()
      if let number = new.signals.first(where: { $0 != SIGWINCH }) {
        throw ToolFailure.signal(number)
      }
      if let message = new.connectionMessage { view.connectionMessage = message }
      if let state = new.state { view.state = state }
      if let rows = new.rows { view.take(rows.rows, of: rows.of) }
      if let refusal = new.refusal { view.refuse(refusal.message, of: refusal.of) }
      for key in new.keys { view.press(key) }
      if view.isOver { return }
      if view.open != open || view.attempt != attempt {
        (open, attempt) = (view.open, view.attempt)
        rows?.cancel()
        rows = open.map { open in
          Task {
            await follow {
              try await client.rows(open.entity, filter: open.filter, limit: Self.limit) { rows in
                inbox.put { ($0.rows, $0.refusal) = ((open, rows), nil) }
              }
            } onFailure: { failure in
              inbox.put { $0.refusal = (open, failure.message ?? "") }
              return !failure.isLasting
            }
          }
        }
      }
      let size = terminal.size
      let lines = view.lines(width: size.width, height: size.height)
      // With another size, what the terminal shows may be anything.
      if lines != shown || new.signals.contains(SIGWINCH) { try terminal.show(lines) }
      shown = lines
    }
  }

  /// Reads a stream again and again, as its server ends it in time; after failures with pauses.
  ///
  /// - Parameter onFailure: called with each failure; whether to try again.
  private func follow(
    _ read: () async throws -> Void, onFailure: (ToolFailure) -> Bool
  ) async {
    var failures = 0
    while !Task.isCancelled {
      let start = ContinuousClock.now
      do {
        try await read()
      } catch {
        if Task.isCancelled { return }
        let failure = error as? ToolFailure ?? .server("The server's answer cannot be read.")
        guard onFailure(failure) else { return }
      }
      failures = ContinuousClock.now - start > .seconds(5) ? 0 : failures + 1
      try? await Task.sleep(for: .milliseconds(Int.random(in: 0...(100 << min(failures, 5)))))
    }
  }
}

/// What has come since the screen was drawn: of states and rows the newest alone.
///
/// State: `content`, guarded by its mutex.
private final class Inbox: Sendable {
  struct Content {
    var keys: [Key] = []
    var signals: [Int32] = []
    var state: InspectorState?
    var rows: (of: AttachView.Rows, rows: [StreamRows.Row])?
    var refusal: (of: AttachView.Rows, message: String)?
    var connectionMessage: String?
  }

  private let content = Mutex(Content())
  /// Something has come.
  let wakes: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() { (wakes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  func put(_ change: (inout Content) -> Void) {
    content.withLock { change(&$0) }
    continuation.yield()
  }

  func take() -> Content {
    content.withLock { content in
      defer { content = Content() }
      return content
    }
  }
}
