import Foundation

/// SIGINT as an event that can be waited for together with a file.
///
/// The handler writes a byte into a pipe that nobody empties, so once interrupted it stays so. A second SIGINT
/// ends the process as if there were no handler.
package enum Interrupts {
  /// The pipe: made before the handler is installed, so that the handler only reads a constant.
  private static let pipe: (reading: Int32, writing: Int32) = {
    var ends: [Int32] = [-1, -1]
    _ = Foundation.pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }()

  /// Handles SIGINT from now on, and lets writing into a closed pipe be an error instead of a signal.
  package static func install() {
    _ = pipe
    signal(SIGPIPE, SIG_IGN)
    var action = sigaction()
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = { _ in Interrupts.handle() }
      action.sa_flags = SA_RESETHAND
    #else
      action.__sigaction_handler.sa_handler = { _ in Interrupts.handle() }
      action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
    #endif
    sigaction(SIGINT, &action, nil)
  }

  private static func handle() {
    let error = errno
    var byte: UInt8 = 0
    _ = write(pipe.writing, &byte, 1)
    errno = error
  }

  /// True once there has been a SIGINT.
  package static var isInterrupted: Bool {
    poll(-1, 0, timeout: 0)
  }

  /// Waits until a file can be read, or has ended; true if interrupted instead.
  package static func wait(reading descriptor: Int32) -> Bool {
    poll(descriptor, Int16(POLLIN), timeout: -1)
  }

  /// Waits until a file takes bytes, or is closed; true if interrupted instead.
  package static func wait(writing descriptor: Int32) -> Bool {
    poll(descriptor, Int16(POLLOUT), timeout: -1)
  }

  private static func poll(_ descriptor: Int32, _ events: Int16, timeout: Int32) -> Bool {
    var files = [
      pollfd(fd: pipe.reading, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: events, revents: 0),
    ]
    while Foundation.poll(&files, nfds_t(files.count), timeout) < 0 {
      guard errno == EINTR || errno == EAGAIN else { return false }
    }
    return files[0].revents & Int16(POLLIN) != 0
  }
}
