import Foundation

/// What handling signals needs of the system.
enum Signals {
  /// A pipe, by which a handler wakes what waits. A command inherits neither end.
  ///
  /// - Parameter waits: whether reading and writing wait.
  static func pipe(waits: Bool = true) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    _ = Foundation.pipe(&ends)
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      if !waits { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }
    return (ends[0], ends[1])
  }

  /// Lets this thread, and those that it starts, receive a signal.
  static func unblock(_ number: Int32) {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  /// Calls a function for a signal from now on, also if what started the process had blocked it.
  ///
  /// - Parameter flags: those of `sigaction`.
  /// - Returns: whether the signal was ignored before.
  @discardableResult
  static func handle(
    _ number: Int32, flags: Int32 = 0, _ handler: @escaping @convention(c) (Int32) -> Void
  ) -> Bool {
    var (action, before) = (sigaction(), sigaction())
    action.sa_flags = flags
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = handler
      sigaction(number, &action, &before)
      let old = unsafeBitCast(before.__sigaction_u.__sa_handler, to: Int.self)
    #else
      action.__sigaction_handler.sa_handler = handler
      sigaction(number, &action, &before)
      let old = unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self)
    #endif
    unblock(number)
    return old == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
