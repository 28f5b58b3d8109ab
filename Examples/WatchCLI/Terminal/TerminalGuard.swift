import Foundation
import Synchronization

/// Puts the terminal back as it was, at most once, whatever ends the process.
///
/// `restore` may be called in a signal handler: it uses only what POSIX lists as safe there, and global state that
/// `arm` has initialised before.
package enum TerminalGuard {
  /// The terminal to restore; -1 if there is nothing to restore.
  private static let armed = Atomic<Int32>(-1)
  /// Modes, and whether they are those from before the first screen. Later ones are not saved: a shell that has
  /// continued this process in the background has modes of its own.
  ///
  /// One struct, not two globals: a global of the type `termios` alone is emitted without its padding, with 57 bytes, and
  /// 60 are read and written.
  private struct Saved {
    var modes = termios()
    var isThere = false
  }

  /// Written while `armed` is -1, by the one thread of `begin`; the modes are read after `armed` has been taken.
  nonisolated(unsafe) private static var saved = Saved()

  /// Another screen, without a cursor, on which lines are cut at the margin.
  private static let enter: StaticString = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
  /// The opposite, after what may be half of a sequence.
  private static let leave: StaticString = "\u{18}\u{1B}[0m\u{1B}[?2026l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  /// How long a terminal that takes nothing is waited for, in milliseconds, before what it has not taken is discarded.
  private static let patience: Int32 = 200

  /// Saves the modes, and sets those of a screen: keys come at once and are not echoed, signals of keys stay.
  ///
  /// - Returns: false if the terminal does not allow it.
  static func begin(_ descriptor: Int32) -> Bool {
    guard armed.load(ordering: .sequentiallyConsistent) < 0 else { return false }
    if !saved.isThere {
      guard tcgetattr(descriptor, &saved.modes) == 0 else { return false }
      saved.isThere = true
    }
    armed.store(descriptor, ordering: .sequentiallyConsistent)
    if setModes(descriptor) { return true }
    restore()
    return false
  }

  /// Sets the modes of a screen again, after another process may have changed them.
  static func renew() {
    let descriptor = armed.load(ordering: .sequentiallyConsistent)
    if descriptor >= 0 { _ = setModes(descriptor) }
  }

  private static func setModes(_ descriptor: Int32) -> Bool {
    var raw = saved.modes
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    withUnsafeMutableBytes(of: &raw.c_cc) { bytes in
      bytes[Int(VMIN)] = 1
      bytes[Int(VTIME)] = 0
    }
    while tcsetattr(descriptor, TCSANOW, &raw) != 0 {
      if errno != EINTR { return false }
    }
    write(enter, to: descriptor)
    return true
  }

  /// Restores the screen and the modes if they are not what they were.
  package static func restore() {
    let descriptor = armed.exchange(-1, ordering: .sequentiallyConsistent)
    if descriptor < 0 { return }
    // Output may have been stopped by ^S.
    tcflow(descriptor, TCOON)
    var file = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    if poll(&file, 1, patience) == 0 { tcflush(descriptor, TCOFLUSH) }
    write(leave, to: descriptor)
    while tcsetattr(descriptor, TCSANOW, &saved.modes) != 0, errno == EINTR {}
  }

  private static func write(_ text: StaticString, to descriptor: Int32) {
    var (start, count) = (text.utf8Start, text.utf8CodeUnitCount)
    while count > 0 {
      let written = Foundation.write(descriptor, start, count)
      if written > 0 {
        (start, count) = (start + written, count - written)
      } else {
        guard written < 0, errno == EINTR || errno == EAGAIN else { return }
        var file = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        if errno == EAGAIN, poll(&file, 1, patience) <= 0 { return }
      }
    }
  }
}
