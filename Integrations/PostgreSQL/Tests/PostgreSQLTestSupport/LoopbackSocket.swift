import Foundation

/// Sockets of 127.0.0.1.
package enum LoopbackSocket {
  #if canImport(Darwin)
    private static let stream = SOCK_STREAM
  #else
    private static let stream = Int32(SOCK_STREAM.rawValue)
  #endif

  /// A socket that no child inherits.
  private static func make(_ family: Int32) throws -> Int32 {
    let descriptor = socket(family, stream, 0)
    if descriptor < 0 { throw Mismatch("no socket can be made: \(String(cString: strerror(errno)))") }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
  }

  private static func address(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    address.sin_port = in_port_t(port).bigEndian
    return address
  }

  private static func withAddress(
    _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Int32
  ) -> Int32 {
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &size) }
    }
  }

  /// A socket that listens on a port.
  ///
  /// - Parameter port: 0 for one that is free.
  package static func listen(_ port: Int = 0) throws -> (descriptor: Int32, port: Int) {
    let descriptor = try make(AF_INET)
    var isReused: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
    var address = address(port)
    let code = withAddress(&address) { bind(descriptor, $0, $1) }
    guard code == 0, Foundation.listen(descriptor, 64) == 0,
      withAddress(&address, { getsockname(descriptor, $0, &$1) }) == 0
    else {
      let reason = String(cString: strerror(errno))
      close(descriptor)
      throw Mismatch("port \(port) cannot be listened on: \(reason)")
    }
    return (descriptor, Int(in_port_t(bigEndian: address.sin_port)))
  }

  /// A connection to a port; nil if it is refused.
  package static func connect(to port: Int) throws -> Int32? {
    let descriptor = try make(AF_INET)
    var address = address(port)
    if withAddress(&address, { Foundation.connect(descriptor, $0, $1) }) != 0 {
      close(descriptor)
      return nil
    }
    setWithoutDelay(descriptor)
    return descriptor
  }

  /// Waits for a connection; nil when the listener was shut down.
  package static func accept(_ listener: Int32) -> Int32? {
    while true {
      let descriptor = Foundation.accept(listener, nil, nil)
      if descriptor >= 0 {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        setWithoutDelay(descriptor)
        return descriptor
      }
      if errno != EINTR && errno != ECONNABORTED { return nil }
    }
  }

  private static func setWithoutDelay(_ descriptor: Int32) {
    var isOn: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
    #if canImport(Darwin)
      setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  /// Makes closing a socket a reset instead of an end.
  static func setReset(_ descriptor: Int32) {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// Resets a connection at once, in place of ending it: Linux does so for one whose peer becomes "unspecified".
  static func reset(_ descriptor: Int32) {
    setReset(descriptor)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_UNSPEC)
    _ = withAddress(&address) { Foundation.connect(descriptor, $0, $1) }
  }

  /// Blocks until there is something to read, be it the end.
  static func waitForData(_ descriptor: Int32) {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    poll(&wanted, 1, -1)
  }

  /// Sends all bytes; false if the connection is gone.
  package static func send(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    var rest = bytes
    while !rest.isEmpty {
      let count = Foundation.send(descriptor, rest.baseAddress, rest.count, flags)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return false }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return true
  }
}
