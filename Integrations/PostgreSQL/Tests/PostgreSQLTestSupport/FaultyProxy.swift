import Foundation

/// A proxy on 127.0.0.1 between a client and a server whose network fails as a test wants.
///
/// ```swift
/// let proxy = try FaultyProxy(to: server.port)
/// let client = try await SQLClient(database.connectionString(port: proxy.port))
/// proxy.cut(after: 100, .toClient)
/// ```
package final class FaultyProxy: Sendable {
  /// The way that bytes go.
  package enum Direction: Sendable, CaseIterable { case toServer, toClient }

  /// How a connection ends.
  package enum Ending: Sendable, CaseIterable {
    /// In order, as when a process closes its socket.
    case close
    /// By a reset, as when a machine has lost its state.
    case reset
  }

  private struct State {
    var connections: [Int: Connection] = [:]
    var count = 0
    var forwarded: [Direction: Int] = [:]
    /// How many more bytes pass before the connection that carries them is cut.
    var budgets: [Direction: (bytes: Int, ending: Ending)] = [:]
    var cuts = 0
    var isRefusing = false
    var isFrozen = false
    var delay: Duration = .zero
    var isClosed = false
  }

  /// The two sockets of a connection. They are closed when both directions have ended, so no number is used twice.
  private final class Connection: Sendable {
    let client: Int32
    let server: Int32

    init(client: Int32, server: Int32) { (self.client, self.server) = (client, server) }

    deinit {
      close(client)
      close(server)
    }

    /// Ends both directions at once.
    func end(_ ending: Ending) {
      if ending == .reset {
        LoopbackSocket.reset(client)
        LoopbackSocket.reset(server)
      }
      shutdown(client, Int32(SHUT_RDWR))
      shutdown(server, Int32(SHUT_RDWR))
    }
  }

  /// The socket that listens. It is closed when neither the proxy nor its thread has it, so neither uses a number that was
  /// given out again.
  private final class Listener: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Waits for a connection; nil when the listener was shut down.
    func accept() -> Int32? { LoopbackSocket.accept(descriptor) }

    /// Accepts no more.
    func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }
  }

  /// State guarded by a condition: threads that forward wait on it while the network is dead.
  private let condition = NSCondition()
  // Read and written between `lock` and `unlock` of `condition` alone.
  nonisolated(unsafe) private var state = State()
  private let serverPort: Int
  private let listener: Listener
  /// The port that clients connect to.
  package let port: Int

  /// - Parameter serverPort: the port of 127.0.0.1 of the server.
  package init(to serverPort: Int) throws {
    self.serverPort = serverPort
    let (descriptor, port) = try LoopbackSocket.listen()
    let listener = Listener(descriptor)
    (self.listener, self.port) = (listener, port)
    Thread.detachNewThread { [weak self] in
      while let client = listener.accept() {
        guard let self else {
          close(client)
          break
        }
        self.admit(client)
      }
    }
  }

  deinit { listener.shutDown() }

  private func withState<Value>(_ body: (inout State) -> Value) -> Value {
    condition.lock()
    defer {
      condition.broadcast()
      condition.unlock()
    }
    return body(&state)
  }

  // MARK: Faults

  /// Cuts the connection that carries a byte, after it: counted from now on, over all connections, in one direction.
  ///
  /// - Parameter bytes: how many bytes still pass; the rest of the message that they end in does not.
  package func cut(after bytes: Int, _ direction: Direction, _ ending: Ending = .close) {
    withState { $0.budgets[direction] = (max(1, bytes), ending) }
  }

  /// Cuts all connections now.
  package func cutAll(_ ending: Ending = .close) {
    for connection in withState({ state in
      state.cuts += state.connections.count
      return Array(state.connections.values)
    }) { connection.end(ending) }
  }

  /// Whether new connections are reset at once.
  package var isRefusing: Bool {
    get { withState { $0.isRefusing } }
    set { withState { $0.isRefusing = newValue } }
  }

  /// Whether nothing is forwarded, while connections stay open and new ones are accepted: a dead network.
  package var isFrozen: Bool {
    get { withState { $0.isFrozen } }
    set { withState { $0.isFrozen = newValue } }
  }

  /// How late each piece of data is forwarded.
  package var delay: Duration {
    get { withState { $0.delay } }
    set { withState { $0.delay = newValue } }
  }

  /// Ends all faults; connections that were cut stay so.
  package func heal() {
    withState { state in
      state.budgets = [:]
      state.isRefusing = false
      state.isFrozen = false
      state.delay = .zero
    }
  }

  /// Cuts all connections and accepts no more.
  package func shutDown() {
    withState { $0.isClosed = true }
    cutAll()
    listener.shutDown()
  }

  // MARK: Counts

  /// How many connections were accepted so far, without those refused.
  package var connectionCount: Int { withState { $0.count } }
  /// How many are open.
  package var openCount: Int { withState { $0.connections.count } }
  /// How many connections were cut.
  package var cutCount: Int { withState { $0.cuts } }

  /// How many bytes were forwarded in a direction.
  package func forwarded(_ direction: Direction) -> Int { withState { $0.forwarded[direction] ?? 0 } }

  // MARK: Forwarding

  private func admit(_ client: Int32) {
    let isRefused = withState { $0.isRefusing || $0.isClosed }
    guard !isRefused, let server = (try? LoopbackSocket.connect(to: serverPort)) ?? nil else {
      LoopbackSocket.setReset(client)
      close(client)
      return
    }
    let connection = Connection(client: client, server: server)
    let number = withState { state in
      state.count += 1
      state.connections[state.count] = connection
      return state.count
    }
    for direction in Direction.allCases {
      Thread.detachNewThread { self.forward(connection, number, direction) }
    }
  }

  private func forward(_ connection: Connection, _ number: Int, _ direction: Direction) {
    // It closes its sockets when it is released, and they are used here by number.
    defer { withExtendedLifetime(connection) {} }
    let isToServer = direction == .toServer
    let source = isToServer ? connection.client : connection.server
    let target = isToServer ? connection.server : connection.client
    withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { buffer in
      while true {
        // A socket that a thread waits for in `recv` cannot be reset.
        LoopbackSocket.waitForData(source)
        let count = recv(source, buffer.baseAddress, buffer.count, 0)
        if count < 0 && errno == EINTR { continue }
        if count <= 0 { break }
        let (allowed, cut) = take(count, direction)
        guard LoopbackSocket.send(UnsafeRawBufferPointer(rebasing: buffer[..<allowed]), to: target) else {
          break
        }
        if let cut {
          connection.end(cut)
          break
        }
      }
    }
    // The other side gets an end as well, as a host gives it. What is under way in the other direction still arrives.
    shutdown(target, Int32(SHUT_WR))
    if !isToServer { withState { $0.connections[number] = nil } }
  }

  /// How many of the bytes that came may pass, once the network lets them, and whether the connection is then cut.
  private func take(_ count: Int, _ direction: Direction) -> (allowed: Int, cut: Ending?) {
    condition.lock()
    defer { condition.unlock() }
    if state.delay > .zero {
      let end = Date(timeIntervalSinceNow: state.delay / .seconds(1))
      while condition.wait(until: end) {}
    }
    while state.isFrozen && !state.isClosed { condition.wait() }
    guard let budget = state.budgets[direction] else {
      state.forwarded[direction, default: 0] += count
      return (count, nil)
    }
    let allowed = min(count, budget.bytes)
    state.forwarded[direction, default: 0] += allowed
    if count < budget.bytes {
      state.budgets[direction] = (budget.bytes - count, budget.ending)
      return (count, nil)
    }
    state.budgets[direction] = nil
    state.cuts += 1
    return (allowed, budget.ending)
  }
}
