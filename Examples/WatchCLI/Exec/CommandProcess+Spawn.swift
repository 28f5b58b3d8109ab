import Foundation

/// Why a command could not be started.
struct CommandFailure: Error {
  let message: String
}

extension CommandProcess {
  /// Starts the shell with a command.
  ///
  /// - Parameters:
  ///   - input: what it reads.
  ///   - isSilent: whether what it prints is discarded; what it reports only if that would go to the terminal.
  /// - Returns: the id of the process and of its group.
  static func spawn(
    _ command: String, _ environment: [String: String], input: Int32, isSilent: Bool
  ) throws(CommandFailure) -> pid_t {
    #if canImport(Darwin)
      var attributes: posix_spawnattr_t?
      var actions: posix_spawn_file_actions_t?
    #else
      var (attributes, actions) = (posix_spawnattr_t(), posix_spawn_file_actions_t())
    #endif
    posix_spawnattr_init(&attributes)
    posix_spawn_file_actions_init(&actions)
    defer {
      posix_spawnattr_destroy(&attributes)
      posix_spawn_file_actions_destroy(&actions)
    }
    // This process ignores SIGPIPE, which a command would inherit. What is handled is reset by itself.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    // The thread of a queue blocks signals, which a command would inherit as well.
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
    posix_spawnattr_setflags(&attributes, Int16(flags))
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    if isSilent {
      posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
      if isatty(STDERR_FILENO) == 1 {
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
      }
    }
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let arguments = strings(["/bin/sh", "-c", command])
    let settings = strings(variables.map { "\($0)=\($1)" })
    defer { for string in arguments + settings { free(string) } }
    var id: pid_t = 0
    let error = posix_spawn(&id, "/bin/sh", &actions, &attributes, arguments, settings)
    guard error == 0 else {
      throw CommandFailure(message: "cannot run /bin/sh: \(String(cString: strerror(error)))")
    }
    return id
  }

  /// Copies of texts, to be freed, and a null at the end.
  private static func strings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
    texts.map { strdup($0) } + [nil]
  }
}
