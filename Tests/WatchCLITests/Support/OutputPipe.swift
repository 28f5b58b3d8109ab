import Foundation
import livestore_watch

/// A pipe whose writing end a printer gets and whose reading end a test reads.
struct OutputPipe: ~Copyable {
  private let pipe = Pipe()

  /// A writer into the pipe.
  ///
  /// - Parameter isTerminal: whether it takes the pipe for a terminal.
  func writer(isTerminal: Bool = false) -> OutputWriter {
    OutputWriter(descriptor: pipe.fileHandleForWriting.fileDescriptor, isTerminal: isTerminal)
  }

  /// Closes the writing end and gives everything that was written, which must fit into a pipe.
  func text() throws -> String {
    try pipe.fileHandleForWriting.close()
    return String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
  }

  /// Closes the reading end, as a reader does that has had enough.
  func hangUp() throws {
    try pipe.fileHandleForReading.close()
  }
}

/// A pipe into a process, of which the process has the reading end alone.
final class InputPipe {
  private let pipe = Pipe()

  init() {
    // A process that has ended is an error of `say`.
    signal(SIGPIPE, SIG_IGN)
    for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
      _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
    }
    _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFL, O_NONBLOCK)
  }

  /// Gives the reading end to a process, which has it alone from then on.
  func give(_ start: (Int32) throws -> Void) throws {
    try start(pipe.fileHandleForReading.fileDescriptor)
    try pipe.fileHandleForReading.close()
  }

  /// Writes, waiting until the pipe takes it.
  func say(_ text: String) throws {
    let descriptor = pipe.fileHandleForWriting.fileDescriptor
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      guard Waiting.wait(for: descriptor, POLLOUT) else {
        throw Waiting.Failure(description: "the process does not read its input")
      }
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EAGAIN, errno != EINTR {
        throw Waiting.Failure(description: "the process has closed its input")
      }
    }
  }

  /// Ends the input.
  func finish() throws { try pipe.fileHandleForWriting.close() }
}
