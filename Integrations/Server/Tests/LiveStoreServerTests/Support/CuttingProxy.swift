import Foundation
import LiveStore
import Synchronization

/// Passes connections on to a server, and cuts most of them behind a random number of bytes of its answer.
///
/// State: the generator, and where connections lead, guarded by their mutex.
final class CuttingProxy: Sendable {
  private struct State {
    var generator: SeededGenerator
    var target = 0
    var connections = 0
    var cuts = 0
    /// How many connections were to be cut since the last that was not.
    var cutsInRow = 0
    var isOver = false
  }

  let port: Int
  private let listener: Int32
  private let limit: Int
  private let isSlow: Bool
  private let state: Mutex<State>

  /// - Parameters:
  ///   - limit: behind how many bytes a connection is cut at the latest.
  ///   - isSlow: whether answers come in small pieces, with time between them.
  init(_ generator: SeededGenerator, cuttingWithin limit: Int, isSlow: Bool = false) throws {
    (self.limit, self.isSlow) = (limit, isSlow)
    state = Mutex(State(generator: generator))
    listener = try Sockets.listener()
    port = try Sockets.port(of: listener)
    let listener = listener
    Thread.detachNewThread { [weak self] in
      while case let client = accept(listener, nil, nil), client >= 0 {
        guard let self else {
          close(client)
          return
        }
        serve(client)
      }
    }
  }

  deinit { end() }

  /// Connections are refused from now on.
  func leadNowhere() { lead(to: 0) }

  /// How many connections there were.
  var connections: Int { state.withLock { $0.connections } }

  /// How many connections were cut.
  var cuts: Int { state.withLock { $0.cuts } }

  /// Where connections lead from now on.
  func lead(to port: Int) { state.withLock { $0.target = port } }

  func end() {
    let isFirst = state.withLock { state in
      defer { state.isOver = true }
      return !state.isOver
    }
    if isFirst {
      shutdown(listener, Int32(SHUT_RDWR))
      close(listener)
    }
  }

  private func serve(_ client: Int32) {
    let (target, bytes) = state.withLock { state in
      state.connections += 1
      // Some are not cut, and no more than five in a row are, so that what is longer than the limit comes at last.
      let isCut =
        limit < .max && state.cutsInRow < 5 && Int.random(in: 0...4, using: &state.generator) > 0
      state.cutsInRow = isCut ? state.cutsInRow + 1 : 0
      return (state.target, isCut ? Int.random(in: 1...limit, using: &state.generator) : .max)
    }
    guard let server = try? Sockets.connect(to: target) else {
      close(client)
      return
    }
    // The descriptors are closed when neither thread uses them.
    let pair = Pair(client, server)
    Thread.detachNewThread {
      Self.copy(from: pair.client, to: pair.server, atMost: .max)
      pair.end()
    }
    Thread.detachNewThread { [weak self, isSlow] in
      let wasCut = Self.copy(from: pair.server, to: pair.client, atMost: bytes, pause: isSlow ? 1_000 : nil)
      if wasCut { self?.state.withLock { $0.cuts += 1 } }
      pair.end()
    }
  }

  /// - Returns: whether the limit was reached.
  @discardableResult
  private static func copy(
    from source: Int32, to target: Int32, atMost limit: Int, pause: UInt32? = nil
  ) -> Bool {
    var (rest, buffer) = (limit, [UInt8](repeating: 0, count: pause == nil ? 8_192 : 512))
    while rest > 0 {
      let count = buffer.withUnsafeMutableBytes { recv(source, $0.baseAddress, min($0.count, rest), 0) }
      if count <= 0 { return false }
      if let pause { usleep(pause) }
      var sent = 0
      while sent < count {
        let more = buffer.withUnsafeBytes {
          send(target, $0.baseAddress.map { $0 + sent }, count - sent, Int32(MSG_NOSIGNAL))
        }
        if more <= 0 { return false }
        sent += more
      }
      rest -= count
    }
    return true
  }

  private final class Pair: Sendable {
    let (client, server): (Int32, Int32)

    init(_ client: Int32, _ server: Int32) { (self.client, self.server) = (client, server) }

    func end() {
      shutdown(client, Int32(SHUT_RDWR))
      shutdown(server, Int32(SHUT_RDWR))
    }

    deinit {
      close(client)
      close(server)
    }
  }
}
