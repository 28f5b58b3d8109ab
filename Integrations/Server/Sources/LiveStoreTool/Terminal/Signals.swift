import Foundation
import Synchronization

/// The signals that the tool handles, from when this is made to the end of the process. It is made once.
///
/// A handler writes the number of a signal into a pipe, which a thread reads. Dispatch's sources are no alternative: they need
/// signals to be ignored, and on Linux the kernel drops an ignored signal that the main thread does not block.
struct Signals {
  /// Each signal that comes.
  let numbers: AsyncStream<Int32>

  /// The end of the pipe that handlers write to.
  private static let pipe = Atomic<Int32>(-1)

  init(_ all: [Int32] = [SIGINT, SIGTERM, SIGHUP]) {
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
    numbers = stream
    let pipe = Pipe()
    Self.pipe.store(dup(pipe.fileHandleForWriting.fileDescriptor), ordering: .releasing)
    let output = pipe.fileHandleForReading
    Thread.detachNewThread {
      while let byte = try? output.read(upToCount: 1)?.first { continuation.yield(Int32(byte)) }
    }
    for number in all {
      signal(number) { number in
        // Of what a handler does, only calls of the system that POSIX allows there: the atomic is initialised.
        var byte = UInt8(truncatingIfNeeded: number)
        let before = errno
        _ = write(Signals.pipe.load(ordering: .acquiring), &byte, 1)
        errno = before
      }
    }
  }
}
