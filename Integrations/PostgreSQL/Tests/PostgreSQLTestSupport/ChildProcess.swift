package import Foundation

/// A child process, started with `posix_spawn`: Foundation's `Process` crashes while many files are open.
package struct ChildProcess: Sendable {
  /// The identifier of the process.
  package let id: pid_t

  /// How a process ended.
  package enum End: Sendable, Equatable {
    case status(Int32)
    case signal(Int32)
  }

  /// Starts a program in a session of its own, without the files that are open here.
  ///
  /// - Parameters:
  ///   - path: the program, or a name that is looked up in `PATH`.
  ///   - input: the file that is its standard input; nil for an empty one.
  ///   - output: the path of the file to which its output and errors are appended.
  package init(_ path: String, _ arguments: [String], input: Int32? = nil, output: String) throws {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    if let input {
      posix_spawn_file_actions_adddup2(&actions, input, 0)
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o666)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    #if canImport(Darwin)
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSID | POSIX_SPAWN_CLOEXEC_DEFAULT))
    #else
      // One that is closed meanwhile is no error. One that is opened meanwhile stays open, if it is not closed by exec.
      let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
      for descriptor in descriptors.compactMap({ Int32($0) }) where descriptor > 2 && descriptor != input {
        posix_spawn_file_actions_addclose(&actions, descriptor)
      }
      // POSIX_SPAWN_SETSID, which the header hides from Swift.
      posix_spawnattr_setflags(&attributes, 0x80)
    #endif
    let words = ([path] + arguments).map { strdup($0) }
    let variables = Self.environment.map { strdup($0) }
    defer { for text in words + variables { free(text) } }
    var id: pid_t = 0
    let code = posix_spawnp(&id, path, &actions, &attributes, words + [nil], variables + [nil])
    if code != 0 { throw Mismatch("\(path) cannot be started: \(String(cString: strerror(code)))") }
    self.id = id
  }

  /// The environment of this process without what PostgreSQL reads, and with English messages.
  private static var environment: [String] {
    let inherited = ProcessInfo.processInfo.environment.filter { name, _ in
      !name.hasPrefix("PG") && !name.hasPrefix("LC_") && name != "LANG"
    }
    return inherited.map { "\($0)=\($1)" } + ["LC_ALL=C"]
  }

  /// Runs a program to its end, and gives how it ended and what it wrote.
  package static func run(_ path: String, _ arguments: [String]) throws -> (end: End, output: String) {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("output-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }
    let end = try ChildProcess(path, arguments, output: file.path).wait()
    return (end, (try? String(contentsOf: file, encoding: .utf8)) ?? "")
  }

  /// Blocks until the process has ended.
  @discardableResult package func wait() -> End {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    return Self.end(status)
  }

  /// How the process ended; nil while it runs. After this, or `wait()`, has given an end, it must not be asked again.
  package func poll() -> End? {
    var status: Int32 = 0
    return waitpid(id, &status, WNOHANG) == id ? Self.end(status) : nil
  }

  private static func end(_ status: Int32) -> End {
    let signal = status & 0x7F
    return signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
  }

  /// Sends a signal.
  package func send(_ signal: Int32) { kill(id, signal) }
}
