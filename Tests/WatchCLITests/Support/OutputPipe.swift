import Foundation
import TestSupport
import livestore_watch

/// A pipe whose writing end a printer gets and whose reading end a test reads.
struct OutputPipe: ~Copyable {
  private let pipe: PrivatePipe

  /// - Parameter hangsUp: whether ``hangUp()`` is called.
  init(hangsUp: Bool = false) { pipe = PrivatePipe(hangsUp: hangsUp) }

  /// A writer into the pipe.
  ///
  /// - Parameter isTerminal: whether it takes the pipe for a terminal.
  func writer(isTerminal: Bool = false) -> OutputWriter {
    OutputWriter(descriptor: pipe.writing.fileDescriptor, isTerminal: isTerminal)
  }

  /// Closes the writing end and gives everything that was written, which must fit into a pipe.
  func text() throws -> String {
    try pipe.writing.close()
    return String(decoding: try pipe.reading.readToEnd() ?? Data(), as: UTF8.self)
  }

  /// Closes the reading end, as a reader does that has had enough.
  func hangUp() throws { try pipe.hangUp() }
}

/// A pipe into a process, of which the process has the reading end alone.
final class InputPipe {
  private let pipe = PrivatePipe()

  init() {
    // A process that has ended is an error of `say`.
    signal(SIGPIPE, SIG_IGN)
    _ = fcntl(pipe.writing.fileDescriptor, F_SETFL, O_NONBLOCK)
  }

  /// Gives the reading end to a process, which has it alone from then on.
  func give(_ start: (Int32) throws -> Void) throws {
    try start(pipe.reading.fileDescriptor)
    try pipe.reading.close()
  }

  /// Writes, waiting until the pipe takes it.
  func say(_ text: String) throws {
    let descriptor = pipe.writing.fileDescriptor
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
  func finish() throws { try pipe.writing.close() }
}
