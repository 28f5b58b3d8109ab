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
  }

  /// Gives the reading end to a process, which has it alone from then on.
  func give(_ start: (Int32) throws -> Void) throws {
    try start(pipe.fileHandleForReading.fileDescriptor)
    try pipe.fileHandleForReading.close()
  }

  /// Writes, waiting until the pipe takes it.
  func say(_ text: String) throws { try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

  /// Ends the input.
  func finish() throws { try pipe.fileHandleForWriting.close() }
}
