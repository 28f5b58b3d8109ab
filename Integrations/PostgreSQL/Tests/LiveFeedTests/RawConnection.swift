import Foundation
import PostgreSQLTestSupport

/// A connection over which HTTP is spoken, and that receives nothing unless it is read from. Its calls block for 75 s at
/// most, which is longer than a request may take.
///
/// On Linux, `URLSession` does not understand chromedriver's headers, which have no space after the colon.
final class RawConnection {
  private let descriptor: Int32
  /// What was received; what is before `start` was read.
  private var received: [UInt8] = []
  private var start = 0

  /// - Throws: if there is no connection.
  init(to url: URL) throws {
    guard let port = url.port, let descriptor = try LoopbackSocket.connect(to: port) else {
      throw Mismatch("no connection to \(url)")
    }
    self.descriptor = descriptor
    var limit = timeval(tv_sec: 75, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  deinit { close(descriptor) }

  func send(_ text: String) throws {
    let isSent = Array(text.utf8).withUnsafeBytes { LoopbackSocket.send($0, to: descriptor) }
    if !isSent { throw Mismatch("nothing can be sent: \(String(cString: strerror(errno)))") }
  }

  /// Waits for bytes; false at the end.
  private func receive() throws -> Bool {
    let bytes = try [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
      let result = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if result < 0 { throw Mismatch("nothing can be received: \(String(cString: strerror(errno)))") }
      count = result
    }
    received.removeFirst(start)
    start = 0
    received += bytes
    return !bytes.isEmpty
  }

  /// Reads through a separator, which is left out; nil at the end.
  func read(through separator: String) throws -> String? {
    let separator = Array(separator.utf8)
    while true {
      if let index = received.firstIndex(of: separator, from: start) {
        defer { start = index + separator.count }
        return String(decoding: received[start..<index], as: UTF8.self)
      }
      if try !receive() { return nil }
    }
  }

  /// Reads a number of bytes; nil if the end comes before.
  func read(_ count: Int) throws -> ArraySlice<UInt8>? {
    while received.count - start < count { if try !receive() { return nil } }
    defer { start += count }
    return received[start..<(start + count)]
  }

  /// Sends a request.
  ///
  /// - Parameter type: of the body.
  func send(
    _ method: String, _ path: String, _ body: String = "", type: String = "application/json",
    host: String = "127.0.0.1"
  ) throws {
    try send(
      """
      \(method) \(path) HTTP/1.1\r
      Host: \(host)\r
      Content-Type: \(type)\r
      Content-Length: \(body.utf8.count)\r
      \r
      \(body)
      """)
  }

  /// The answer to a request.
  struct Answer: Sendable, Equatable {
    var status: Int
    var body: String
  }

  /// Reads an answer.
  func readAnswer() throws -> Answer {
    guard let head = try read(through: "\r\n\r\n"),
      let status = head.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { throw Mismatch("no answer") }
    let length = head.firstMatch(of: /Content-Length:\s*(\d+)/.ignoresCase()).flatMap { Int($0.1) } ?? 0
    guard let body = try read(length) else { throw Mismatch("the answer ends too early") }
    return Answer(status: status, body: String(decoding: body, as: UTF8.self))
  }

  /// Sends a request over a connection of its own, and gives the answer.
  static func answer(
    _ method: String, _ url: URL, _ body: String = "", type: String = "application/json"
  ) async throws -> Answer {
    try await Worker {
      let connection = try RawConnection(to: url)
      try connection.send(method, url.path + (url.query.map { "?\($0)" } ?? ""), body, type: type)
      return try connection.readAnswer()
    }.value()
  }
}

extension [UInt8] {
  /// Where a sequence of bytes begins: the first at an index or after it.
  func firstIndex(of bytes: [UInt8], from start: Int) -> Int? {
    withUnsafeBytes { all in
      guard let base = all.baseAddress, let first = bytes.first else { return nil }
      var index = start
      // memchr because a debug build compares byte by byte slowly. It reads what is left of `all` alone.
      while let match = memchr(base + index, Int32(first), all.count - index) {
        index = UnsafeRawPointer(match) - base
        if all[index...].starts(with: bytes) { return index }
        index += 1
      }
      return nil
    }
  }
}
