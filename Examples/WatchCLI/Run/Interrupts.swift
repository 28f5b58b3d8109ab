import Foundation
import Synchronization

/// What ends the tool early, a signal or the user, as an event that can be waited for together with a file.
///
/// The handler writes a byte into a pipe that nothing empties, so once interrupted it stays so. A second signal ends
/// the process as if there were no handler, with the terminal restored.
package enum Interrupts {
  /// The pipe: made before the handler is installed, so that the handler only reads a constant.
  private static let pipe = Signals.pipe()

  /// The status that the first reason asks for; -1 before.
  private static let status = Atomic<Int32>(-1)

  /// Handles the signals from now on, and lets writing into a closed pipe be an error instead of a signal.
  package static func install() {
    _ = pipe
    _ = isInterrupted
    // Initialises what the handler uses.
    TerminalGuard.restore()
    CommandProcess.prepareToKill()
    Foundation.signal(SIGPIPE, SIG_IGN)
    for number in [SIGINT, SIGTERM] { Signals.handle(number) { Interrupts.receive($0) } }
    let isIgnored = Signals.handle(SIGHUP) { Interrupts.receive($0) }
    // As `nohup` asks for.
    if isIgnored { Foundation.signal(SIGHUP, SIG_IGN) }
  }

  private static func receive(_ number: Int32) {
    let error = errno
    defer { errno = error }
    if begin(128 + number) { return }
    TerminalGuard.restore()
    guard CommandProcess.killRunning() else { return }
    Foundation.signal(number, SIG_DFL)
    raise(number)
  }

  /// Ends the tool for a reason that is no signal; `success` is a key to quit.
  static func end(_ status: ExitStatus) {
    _ = begin(status.rawValue)
  }

  /// Whether this is the first reason.
  private static func begin(_ number: Int32) -> Bool {
    guard status.compareExchange(expected: -1, desired: number, ordering: .sequentiallyConsistent).exchanged
    else { return false }
    var byte: UInt8 = 0
    _ = write(pipe.writing, &byte, 1)
    return true
  }

  /// True once there has been a reason to end.
  package static var isInterrupted: Bool {
    status.load(ordering: .sequentiallyConsistent) >= 0
  }

  /// The end that the reason asks for.
  package static var exit: Exit {
    Exit(ExitStatus(rawValue: status.load(ordering: .sequentiallyConsistent)) ?? .interrupted)
  }

  /// Waits until a file can be read, or has ended; true if interrupted instead.
  package static func wait(reading descriptor: Int32) -> Bool {
    poll(descriptor, Int16(POLLIN))
  }

  /// Whether what was read before the reason to end is still written.
  private static let isAnswering = Atomic(false)

  /// Lets the answer to what has been read be written, although there is a reason to end. A further signal ends the process.
  static func answer() { isAnswering.store(true, ordering: .sequentiallyConsistent) }

  /// Waits until a file takes bytes, or is closed; true if interrupted instead.
  package static func wait(writing descriptor: Int32) -> Bool {
    guard isAnswering.load(ordering: .sequentiallyConsistent) else { return poll(descriptor, Int16(POLLOUT)) }
    var file = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    while Foundation.poll(&file, 1, -1) < 0, errno == EINTR || errno == EAGAIN {}
    return false
  }

  /// What ends a wait.
  enum Event {
    case ready, timeout, interrupted
  }

  /// Waits until a file can be read, or has ended, for a time.
  static func wait(reading descriptor: Int32, milliseconds: Int32) -> Event {
    if poll(descriptor, Int16(POLLIN), milliseconds) { return .interrupted }
    var file = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return Foundation.poll(&file, 1, 0) == 0 ? .timeout : .ready
  }

  /// Waits until there is a reason to end.
  static func wait() {
    while !poll(-1, 0) || !isInterrupted {}
  }

  private static func poll(_ descriptor: Int32, _ events: Int16, _ timeout: Int32 = -1) -> Bool {
    wait(for: [pollfd(fd: descriptor, events: events, revents: 0)], milliseconds: timeout) == nil
  }

  /// Waits until one of several files is ready, for a time or without a limit; nil if interrupted instead.
  static func wait(for files: [pollfd], milliseconds: Int32 = -1) -> [pollfd]? {
    var files = files + [pollfd(fd: pipe.reading, events: Int16(POLLIN), revents: 0)]
    while Foundation.poll(&files, nfds_t(files.count), milliseconds) < 0 {
      guard errno == EINTR || errno == EAGAIN else { return files }
    }
    return files.removeLast().revents & Int16(POLLIN) != 0 ? nil : files
  }
}
