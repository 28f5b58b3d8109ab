import Foundation

/// Collects text and writes it to standard output, or another file, on request and when enough has been collected.
///
/// A pipe is written to in pieces that it is known to accept, so that waiting for its reader can be interrupted.
package struct OutputWriter {
  private let descriptor: Int32
  private let isRegular: Bool
  /// True if the file is a terminal.
  package let isTerminal: Bool
  private var buffer: [UInt8] = []
  /// What stands on the same terminal, to be hidden while something is written.
  var progress: ProgressMeter?

  /// How much a pipe that polls as writable takes without waiting.
  private static let piece = Int(PIPE_BUF)

  /// A writer to an open file.
  ///
  /// - Parameter isTerminal: whether to treat it as a terminal; nil to detect it.
  package init(descriptor: Int32 = STDOUT_FILENO, isTerminal: Bool? = nil) {
    var status = stat()
    self.descriptor = descriptor
    self.isTerminal = isTerminal ?? (isatty(descriptor) == 1)
    isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// How much is collected before it is written.
  private static let capacity = 1 << 16

  /// Adds a line to what will be written, and writes if that is much by now.
  package mutating func append(line: some Collection<UInt8>) throws(Exit) {
    buffer.append(contentsOf: line)
    buffer.append(0x0A)
    if buffer.count >= Self.capacity { try flush() }
  }

  /// Adds a line to what will be written, and writes if that is much by now.
  package mutating func append(line: String) throws(Exit) {
    try append(line: line.utf8)
  }

  /// How many characters a line of the terminal has; nil if the file is none.
  var terminalWidth: Int? {
    isTerminal ? TerminalFile.size(of: descriptor).columns : nil
  }

  /// Writes what has been collected.
  ///
  /// - Throws: status 0 and no message when the reader has closed the pipe, which means that it has enough.
  package mutating func flush() throws(Exit) {
    guard let progress, !buffer.isEmpty else { return try writeBuffer() }
    try progress.hidden { () throws(Exit) in try writeBuffer() }
  }

  private mutating func writeBuffer() throws(Exit) {
    defer { buffer.removeAll(keepingCapacity: buffer.count < 1 << 20) }
    var written = 0
    while written < buffer.count {
      if Interrupts.wait(writing: descriptor) { throw Interrupts.exit }
      let count = min(buffer.count - written, isRegular ? buffer.count : Self.piece)
      let result = buffer.withUnsafeBytes { bytes in
        write(descriptor, bytes.baseAddress?.advanced(by: written), count)
      }
      if result >= 0 {
        written += result
      } else if errno == EPIPE {
        throw Exit(.success)
      } else if errno != EINTR && errno != EAGAIN {
        throw Exit(.outputFailed, "cannot write the output: \(String(cString: strerror(errno)))")
      }
    }
  }

  /// Writes a line to standard error and ignores failures; one line, whatever arguments and names contain.
  package static func report(_ line: String) {
    let bytes = Array("\(line.escapingInvisibles)\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }
}
