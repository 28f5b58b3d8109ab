import Foundation
import Synchronization

/// SIGINT and SIGTERM as an event that can be waited for together with a file.
///
/// The handler writes a byte into a pipe that nothing empties, so once interrupted it stays so. A second signal ends
/// the process as if there were no handler.
package enum Interrupts {
  /// The pipe: made before the handler is installed, so that the handler only reads a constant.
  private static let pipe: (reading: Int32, writing: Int32) = {
    var ends: [Int32] = [-1, -1]
    _ = Foundation.pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }()

  /// The first signal that came; 0 before.
  private static let signal = Atomic<Int32>(0)

  /// Handles the signals from now on, and lets writing into a closed pipe be an error instead of a signal.
  package static func install() {
    (_, _) = (pipe, isTerminated)
    Foundation.signal(SIGPIPE, SIG_IGN)
    var action = sigaction()
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = { Interrupts.handle($0) }
      action.sa_flags = SA_RESETHAND
    #else
      action.__sigaction_handler.sa_handler = { Interrupts.handle($0) }
      action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
    #endif
    for number in [SIGINT, SIGTERM] { sigaction(number, &action, nil) }
  }

  private static func handle(_ number: Int32) {
    let error = errno
    if !signal.compareExchange(expected: 0, desired: number, ordering: .sequentiallyConsistent).exchanged {
      // The other of the two came second.
      Foundation.signal(number, SIG_DFL)
      raise(number)
      return
    }
    var byte: UInt8 = 0
    _ = write(pipe.writing, &byte, 1)
    errno = error
  }

  /// True once there has been a signal.
  package static var isInterrupted: Bool {
    signal.load(ordering: .sequentiallyConsistent) != 0
  }

  /// The end that the signal asks for.
  package static var exit: Exit {
    Exit(isTerminated ? .terminated : .interrupted)
  }

  private static var isTerminated: Bool {
    signal.load(ordering: .sequentiallyConsistent) == SIGTERM
  }

  /// Waits until a file can be read, or has ended; true if interrupted instead.
  package static func wait(reading descriptor: Int32) -> Bool {
    poll(descriptor, Int16(POLLIN))
  }

  /// Waits until a file takes bytes, or is closed; true if interrupted instead.
  package static func wait(writing descriptor: Int32) -> Bool {
    poll(descriptor, Int16(POLLOUT))
  }

  private static func poll(_ descriptor: Int32, _ events: Int16) -> Bool {
    var files = [
      pollfd(fd: pipe.reading, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: events, revents: 0),
    ]
    while Foundation.poll(&files, nfds_t(files.count), -1) < 0 {
      guard errno == EINTR || errno == EAGAIN else { return false }
    }
    return files[0].revents & Int16(POLLIN) != 0
  }
}
