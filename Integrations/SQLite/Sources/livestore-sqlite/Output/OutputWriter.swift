import Foundation

/// Collects text and writes it to a file that is open: standard output, or another.
final class OutputWriter {
  private let descriptor: Int32
  let isTerminal: Bool
  /// What is on the same terminal until there is output.
  private let meter: ProgressMeter?
  private var buffer: [UInt8] = []
  private static let capacity = 1 << 16

  init(descriptor: Int32 = STDOUT_FILENO, replacing meter: ProgressMeter? = nil) {
    (self.descriptor, self.meter) = (descriptor, meter)
    isTerminal = isatty(descriptor) == 1
  }

  /// How many columns the terminal has; nil if the file is none.
  var width: Int? {
    guard isTerminal else { return nil }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Adds a line, and writes if there is much by now.
  func append(_ line: String) throws {
    // Texts of the file must not steer the terminal.
    buffer.append(contentsOf: (isTerminal ? line.escapingInvisibles : line).utf8)
    buffer.append(0x0A)
    if buffer.count >= Self.capacity { try flush() }
  }

  /// Writes what was added.
  ///
  /// A full pipe is waited for in steps, so that a task that is cancelled ends.
  /// - Throws: ``ToolFailure/closedOutput`` if the reader of a pipe has gone.
  func flush() throws {
    if isTerminal, !buffer.isEmpty { meter?.finish() }
    defer { buffer.removeAll(keepingCapacity: true) }
    var written = 0
    while written < buffer.count {
      // What a pipe that has room takes without waiting.
      let end = min(buffer.count, written + Int(PIPE_BUF))
      while try !isReady() { try Task.checkCancellation() }
      let result = buffer[written..<end].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if result >= 0 {
        written += result
      } else if errno == EPIPE {
        throw ToolFailure.closedOutput
      } else if errno != EINTR && errno != EAGAIN {
        throw ToolFailure(
          status: EX_IOERR, message: "The output cannot be written: \(String(cString: strerror(errno))).")
      }
    }
  }

  private func isReady() throws -> Bool {
    var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&state, 1, 100) > 0
  }

  /// Finds out whether the reader of standard output has gone, while there is nothing to write.
  ///
  /// - Throws: ``ToolFailure/closedOutput``.
  static func checkStandardOutput() throws {
    var state = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    if poll(&state, 1, 0) > 0, state.revents & Int16(POLLERR | POLLHUP) != 0 {
      throw ToolFailure.closedOutput
    }
  }

  /// Writes a line of at most 4,000 scalars to standard error, whatever names and values it has; a failure is ignored.
  static func report(_ line: String) {
    let beginning = line.unicodeScalars.prefix(4_000)
    let shown = beginning.endIndex == line.endIndex ? line : String(beginning) + "…"
    let bytes = Array("\(shown.escapingInvisibles)\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }
}
