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
