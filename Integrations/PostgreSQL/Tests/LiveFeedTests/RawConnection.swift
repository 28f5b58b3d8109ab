import Foundation
import TestSupport

/// A connection to the service that receives nothing unless it is read from. Its calls block.
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
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  func send(_ text: String) throws {
    let isSent = Array(text.utf8).withUnsafeBytes { LoopbackSocket.send($0, to: descriptor) }
    if !isSent { throw Mismatch("the connection is lost") }
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

  /// Reads an answer, and gives its status code and body.
  func readAnswer() throws -> (status: Int, body: String)? {
    guard let head = try read(through: "\r\n\r\n") else { return nil }
    guard let status = head.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw Mismatch("no answer: \(head)")
    }
    let length = head.firstMatch(of: /Content-Length: (\d+)/.ignoresCase()).flatMap { Int($0.1) } ?? 0
    return try read(length).map { (status, String(decoding: $0, as: UTF8.self)) }
  }
}

extension [UInt8] {
  /// Where a sequence of bytes begins: the first at an index or after it.
  func firstIndex(of bytes: [UInt8], from start: Int) -> Int? {
    withUnsafeBytes { all in
      // Both pointers are used within the closures alone, and memmem reads no more than the counts.
      bytes.withUnsafeBytes { part in
        let rest = UnsafeRawBufferPointer(rebasing: all[start...])
        guard let base = rest.baseAddress, let wanted = part.baseAddress,
          let match = memmem(base, rest.count, wanted, part.count)
        else { return nil }
        return start + (UnsafeRawPointer(match) - base)
      }
    }
  }
}
