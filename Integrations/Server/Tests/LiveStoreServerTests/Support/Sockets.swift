import Foundation

/// Sockets of the loopback interface.
enum Sockets {
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
