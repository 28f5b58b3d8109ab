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
    var cuts = 0
    var isOver = false
  }

  let port: Int
  private let listener: Int32
  private let limit: Int
  private let state: Mutex<State>

  /// - Parameter limit: behind how many bytes a connection is cut at the latest.
  init(_ generator: SeededGenerator, cuttingWithin limit: Int) throws {
    self.limit = limit
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
      // Some are not cut, so that what is longer than the limit comes at last.
      let isCut = limit < .max && Int.random(in: 0...4, using: &state.generator) > 0
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
    Thread.detachNewThread { [weak self] in
      if Self.copy(from: pair.server, to: pair.client, atMost: bytes) {
        self?.state.withLock { $0.cuts += 1 }
      }
      pair.end()
    }
  }

  /// - Returns: whether the limit was reached.
  @discardableResult
  private static func copy(from source: Int32, to target: Int32, atMost limit: Int) -> Bool {
    var (rest, buffer) = (limit, [UInt8](repeating: 0, count: 8_192))
    while rest > 0 {
      let count = buffer.withUnsafeMutableBytes { recv(source, $0.baseAddress, min($0.count, rest), 0) }
      if count <= 0 { return false }
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

/// Sockets of the loopback interface.
private enum Sockets {
  static func listener() throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard with(port: 0, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 64) == 0 else {
      throw Failure("no socket: \(String(cString: strerror(errno)))")
    }
    return descriptor
  }

  static func connect(to port: Int) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard with(port: port, { Foundation.connect(descriptor, $0, $1) }) == 0 else {
      close(descriptor)
      throw Failure("no connection")
    }
    return descriptor
  }

  static func port(of descriptor: Int32) throws -> Int {
    var (address, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    guard code == 0 else { throw Failure("the socket has no name") }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  private static func with(port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    address.sin_port = in_port_t(port).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
