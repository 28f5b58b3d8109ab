import Foundation

/// The signals that concern a terminal, as bytes in a pipe that can be waited for; and those of a crash, which restore
/// the terminal first.
enum TerminalSignals {
  /// Both ends do not wait: a full pipe has a signal in it already.
  static let pipe = Signals.pipe(waits: false)

  /// The byte that wakes without a signal.
  static let wake: UInt8 = 0

  private static let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGQUIT]

  /// Handles the signals from now on.
  static func install() {
    _ = pipe
    for number in [SIGWINCH, SIGTSTP, SIGCONT] { handle(number) }
    for number in crashes {
      Signals.handle(number, flags: SA_RESTART) { number in
        TerminalGuard.restore()
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  /// DeferredWork the reader of the pipe.
  static func post(_ byte: UInt8) {
    let error = errno
    var byte = byte
    _ = write(pipe.writing, &byte, 1)
    errno = error
  }

  /// Stops the process as Ctrl-Z does; returns when it is continued, or at once where there is no shell to continue it.
  static func stop() {
    signal(SIGTSTP, SIG_DFL)
    Signals.unblock(SIGTSTP)
    // A signal to a thread is taken before the call returns.
    pthread_kill(pthread_self(), SIGTSTP)
    handle(SIGTSTP)
  }

  private static func handle(_ number: Int32) {
    Signals.handle(number, flags: SA_RESTART) { TerminalSignals.post(UInt8($0)) }
  }
}
