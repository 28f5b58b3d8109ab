import Foundation

/// A test waits for a process of its own by `poll` alone, and for a bounded time: what blocks a thread cannot be ended by
/// a time limit of the testing library, so that the whole run would hang without a message.
enum Waiting {
  /// How long to wait for what should come soon, also on a machine with much else to do.
  static let limit = Duration.seconds(60)

  /// What did not come in time.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Waits until a file is ready, or has ended; false at the end of the time.
  static func wait(
    for descriptor: Int32, _ events: Int32, until end: ContinuousClock.Instant = .now + limit
  ) -> Bool {
    var file = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    while true {
      let rest = max(0, Int32((end - .now) / .milliseconds(1)))
      let count = poll(&file, 1, rest)
      if count != 0 && !(count < 0 && errno == EINTR) { return true }
      if count == 0, rest == 0 { return false }
    }
  }

  /// The bytes that a file has next, waiting for some; empty at its end.
  static func read(_ descriptor: Int32, _ what: String) throws -> [UInt8] {
    guard wait(for: descriptor, POLLIN) else { throw Failure(description: "\(what) has nothing to read") }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    return Array(bytes[..<max(0, Foundation.read(descriptor, &bytes, bytes.count))])
  }

  /// Everything that a file has up to its end.
  static func readToEnd(_ descriptor: Int32, _ what: String) throws -> String {
    var bytes: [UInt8] = []
    while true {
      let more = try read(descriptor, what)
      if more.isEmpty { return String(decoding: bytes, as: UTF8.self) }
      bytes += more
    }
  }

  /// Waits for the end of a child; its wait status, or nil at the end of the time.
  static func wait(forEndOf process: pid_t) -> Int32? {
    let end = ContinuousClock.now + limit
    var status: Int32 = 0
    while ContinuousClock.now < end {
      let ended = waitpid(process, &status, WNOHANG)
      if ended == process { return status }
      if ended < 0, errno != EINTR { return nil }
      _ = poll(nil, 0, 5)
    }
    return nil
  }
}

/// A pipe with a name, of which a command has the writing end.
final class NamedPipe {
  let path: String
  private let descriptor: Int32

  /// Makes the pipe; it is open, so that a command does not wait for its reader.
  init(_ path: String) throws {
    self.path = path
    guard mkfifo(path, 0o600) == 0 else { throw Waiting.Failure(description: "no pipe \(path)") }
    descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
  }

  deinit { close(descriptor) }

  /// Everything that is written until it is closed.
  func text() throws -> String { try Waiting.readToEnd(descriptor, "the pipe of the command") }
}
