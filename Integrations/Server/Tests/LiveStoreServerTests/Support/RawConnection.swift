import Foundation
import LiveStore
import LiveStoreServer

/// A socket that says exactly what a test wants, and shows what comes.
///
/// It is used by one thread at a time. A read that gets nothing for twenty seconds ends as if the connection did.
final class RawConnection: @unchecked Sendable {
  // A test uses a connection in one task only, which waits for each read.
  private let descriptor: Int32
  private var received: [UInt8] = []
  private var body: [UInt8] = []
  private var hasHead = false
  /// Whether the other side has closed the connection; not where nothing came for long.
  private(set) var isClosed = false

  init(port: Int) throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    address.sin_port = in_port_t(port).bigEndian
    descriptor = try Self.connect(AF_INET, address)
  }

  init(socket path: String) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    descriptor = try Self.connect(AF_UNIX, address)
  }

  deinit { close(descriptor) }

  private static func connect<Address>(_ family: Int32, _ address: Address) throws -> Int32 {
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
    var time = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    var address = address
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
      }
    }
    guard code == 0 else { throw Failure("no connection: \(String(cString: strerror(errno)))") }
    return descriptor
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Makes the buffer of what comes small, so that a sender notices soon that nothing is read.
  func setSmallBuffer() {
    var size: Int32 = 4_096
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Ends the connection in both directions.
  func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Whether more came; false at the end.
  private func receive() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
    guard count > 0 else {
      isClosed = count == 0 || errno == ECONNRESET
      return false
    }
    received += bytes[..<count]
    return true
  }

  /// What comes up to a text, which is included; all up to the end if it does not come.
  func read(through text: String) -> String {
    let mark = Array(text.utf8)
    var start = 0
    while true {
      if let end = Self.find(mark, in: received, from: start) {
        defer { received.removeFirst(end) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      start = max(0, received.count - mark.count)
      if !receive() { return readToEnd() }
    }
  }

  /// All that comes up to the end of the connection.
  func readToEnd() -> String {
    while receive() {}
    defer { received = [] }
    return String(decoding: received, as: UTF8.self)
  }

  private static func find(_ mark: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
    guard bytes.count >= start + mark.count else { return nil }
    return (start...bytes.count - mark.count).first { bytes[$0..<$0 + mark.count].elementsEqual(mark) }
      .map { $0 + mark.count }
  }

  /// A whole response.
  func reply(hasBody: Bool = true) throws -> Reply {
    let head = read(through: "\r\n\r\n")
    let lines = head.components(separatedBy: "\r\n").filter { !$0.isEmpty }
    guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw Failure("this is no response: \(head)")
    }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2 { headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces) }
    }
    var body = ""
    if hasBody, headers["transfer-encoding"] == "chunked" {
      while case let size = read(through: "\r\n").trimmingCharacters(in: .whitespacesAndNewlines),
        let count = Int(size, radix: 16)
      {
        let chunk = try take(count + 2)
        if count == 0 { break }
        body += String(decoding: chunk.dropLast(2), as: UTF8.self)
      }
    } else if hasBody, let count = headers["content-length"].flatMap({ Int($0) }) {
      body = String(decoding: try take(count), as: UTF8.self)
    }
    return Reply(status: status, headers: headers, body: body)
  }

  private func take(_ count: Int) throws -> [UInt8] {
    while received.count < count { if !receive() { throw Failure("the response is cut") } }
    defer { received.removeFirst(count) }
    return Array(received[..<count])
  }

  /// The head of a response whose body does not end.
  func head() async throws -> String { try await onThread { [self] in read(through: "\r\n\r\n") } }

  /// The next server-sent event, behind the head of the response; nil at the end of the stream.
  func event() async throws -> Event? {
    try await onThread { [self] in
      if !hasHead { _ = read(through: "\r\n\r\n") }
      hasHead = true
      var (name, data) = ("", [String]())
      while let line = try bodyLine() {
        if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
        if line.hasPrefix("data: ") { data.append(String(line.dropFirst(6))) }
        if line.isEmpty, !name.isEmpty { return Event(name: name, data: data.joined(separator: "\n")) }
      }
      return nil
    }
  }

  /// The next event of a name.
  func event(_ name: String) async throws -> Event {
    while let event = try await event() { if event.name == name { return event } }
    throw Failure("the stream ended without \(name)")
  }

  /// A line of the body, without the chunks that it came in; nil at the end.
  private func bodyLine() throws -> String? {
    while true {
      if let end = body.firstIndex(of: 0x0A) {
        defer { body.removeFirst(end + 1) }
        return String(decoding: body[..<end], as: UTF8.self)
      }
      let size = read(through: "\r\n").trimmingCharacters(in: .whitespacesAndNewlines)
      guard let count = Int(size, radix: 16), count > 0 else { return nil }
      body += try take(count + 2).dropLast(2)
    }
  }

  struct Event: Sendable {
    let name: String
    let data: String

    var messages: [StreamMessage] { get throws { try decode([StreamMessage].self, data) } }
    var control: [String: JSONValue] { get throws { try decode([String: JSONValue].self, data) } }
  }
}
