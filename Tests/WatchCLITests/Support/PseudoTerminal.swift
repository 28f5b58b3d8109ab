import Foundation
import Testing

/// A pseudo-terminal with a process in it, for which it is the controlling terminal, and what it shows.
final class PseudoTerminal {
  private let master: Int32
  private let path: String
  /// What is on the screen after everything that has been read.
  private(set) var screen: EmulatedTerminal
  /// How many bytes have been read.
  private(set) var received = 0
  private var process: pid_t = 0
  private var isAtEnd = false

  #if canImport(Darwin)
    private static let newSession = Int16(POSIX_SPAWN_SETSID)
  #else
    /// `POSIX_SPAWN_SETSID`, which the C library's header defines under a macro only.
    private static let newSession: Int16 = 0x80
  #endif

  init(rows: Int = 10, columns: Int = 60) throws {
    var (master, slave): (Int32, Int32) = (-1, -1)
    var name = [CChar](repeating: 0, count: 1_024)
    guard openpty(&master, &slave, &name, nil, nil) == 0 else {
      throw Waiting.Failure(description: "no pseudo-terminal: \(String(cString: strerror(errno)))")
    }
    // The process has it open alone, so that its end is the terminal's end.
    close(slave)
    self.master = master
    path = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    _ = fcntl(master, F_SETFD, FD_CLOEXEC)
    // What `poll` has seen may be discarded by the process before it is read.
    _ = fcntl(master, F_SETFL, O_NONBLOCK)
    screen = EmulatedTerminal(rows: rows, columns: columns)
    setSize(rows, columns)
  }

  deinit {
    if process > 0 {
      kill(process, SIGKILL)
      _ = Waiting.wait(forEndOf: process)
    }
    close(master)
  }

  private func setSize(_ rows: Int, _ columns: Int) {
    var size = winsize()
    (size.ws_row, size.ws_col) = (UInt16(rows), UInt16(columns))
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  /// Starts a program as the leader of a session.
  ///
  /// - Parameter input: its standard input; nil is the terminal.
  func start(_ program: String, _ arguments: [String], input: Int32? = nil) throws {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    let flags = Self.newSession | Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK)
    posix_spawnattr_setflags(&attributes, flags)
    // Threads of dispatch block most signals.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    // A leader without a terminal gets the first one that it opens.
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] + (input == nil ? [STDIN_FILENO] : []) {
      posix_spawn_file_actions_addopen(&actions, descriptor, path, O_RDWR, 0)
    }
    if let input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
    Self.closeRest(&actions, &attributes)
    var argv = ([program] + arguments).map { strdup($0) } + [nil]
    let variables = ["TERM=xterm-256color", "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "PS1=$ ", "HISTFILE="]
    let sanitizer = ProcessInfo.processInfo.environment["ASAN_OPTIONS"].map { ["ASAN_OPTIONS=\($0)"] } ?? []
    var environment = (variables + sanitizer).map { strdup($0) } + [nil]
    defer { for text in argv + environment { free(text) } }
    let error = posix_spawn(&process, program, &actions, &attributes, &argv, &environment)
    guard error == 0 else {
      throw Waiting.Failure(description: "\(program): \(String(cString: strerror(error)))")
    }
  }

  /// Lets the process have the three standard files alone.
  ///
  /// Bug: it had the pipes of tests that ran at the same time, and the sockets by whose end Foundation's `Process` sees
  /// the end of others. So these seemed to go on as long as it did, or as one of its own commands.
  private static func closeRest(
    _ actions: inout posix_spawn_file_actions_t, _ attributes: inout posix_spawnattr_t
  ) {
    #if canImport(Darwin)
      var flags: Int16 = 0
      posix_spawnattr_getflags(&attributes, &flags)
      posix_spawnattr_setflags(&attributes, flags | Int16(POSIX_SPAWN_CLOEXEC_DEFAULT))
    #else
      // Closing what is not open is no error.
      for descriptor in 3..<Int32(1_024) { posix_spawn_file_actions_addclose(&actions, descriptor) }
    #endif
  }

  /// Starts the tool.
  func startTool(_ arguments: [String], input: Int32? = nil) throws {
    try start(try Tool.executable().path, arguments, input: input)
  }

  /// The terminal's modes, as they differ between a shell and a screen.
  var modes: [UInt32] {
    var modes = termios()
    tcgetattr(master, &modes)
    return [UInt32(modes.c_lflag), UInt32(modes.c_iflag), UInt32(modes.c_oflag)]
  }

  /// Types.
  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(master, bytes, bytes.count)
  }

  /// Changes the size, of which the kernel sends a signal.
  func resize(rows: Int, columns: Int) {
    screen.resize(rows: rows, columns: columns)
    setSize(rows, columns)
  }

  /// Sends a signal to the process.
  func send(_ signal: Int32) { kill(process, signal) }

  /// Reads what is written until the screen is as it should be.
  func wait(
    for what: String, _ condition: (EmulatedTerminal) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let end = ContinuousClock.now + Waiting.limit
    while !condition(screen) {
      guard try readMore(upTo: 4_096, until: end) else {
        Issue.record("\(what) is not shown, but:\n\(screen.text)", sourceLocation: sourceLocation)
        throw Waiting.Failure(description: what)
      }
    }
  }

  /// Reads until so many bytes have come, or the end.
  func read(bytes count: Int) throws {
    let end = ContinuousClock.now + Waiting.limit
    while received < count, try readMore(upTo: count - received, until: end) {}
  }

  /// Reads some bytes, if they are still there; false at the end of the terminal or of the time.
  private func readMore(upTo count: Int, until end: ContinuousClock.Instant) throws -> Bool {
    if isAtEnd || ContinuousClock.now >= end { return false }
    guard Waiting.wait(for: master, POLLIN, until: end) else { return false }
    var bytes = [UInt8](repeating: 0, count: count)
    let length = Foundation.read(master, &bytes, count)
    if length < 0, errno == EAGAIN || errno == EINTR { return true }
    // The end of a terminal that all have closed is an error.
    guard length > 0 else {
      isAtEnd = true
      return false
    }
    received += length
    screen.receive(bytes[..<length])
    return true
  }

  /// Waits for the end of the process; the status, or the negative number of the signal that ended it.
  func end(sourceLocation: SourceLocation = #_sourceLocation) throws -> Int32 {
    let end = ContinuousClock.now + Waiting.limit
    while try readMore(upTo: 4_096, until: end) {}
    guard let status = Waiting.wait(forEndOf: process) else {
      Issue.record("the process does not end, and shows:\n\(screen.text)", sourceLocation: sourceLocation)
      throw Waiting.Failure(description: "the process does not end")
    }
    process = 0
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
  }

  /// The most memory that the process has had, in megabytes; nil where the system does not report it.
  func peakMemory() -> Int? {
    let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").compactMap { Int($0) }.first.map { $0 / 1_024 }
  }

  /// Expects the terminal to be as before a table was drawn.
  func expectRestored(_ modes: [UInt32], sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(!screen.isAlternate && screen.isCursorVisible && screen.wraps, sourceLocation: sourceLocation)
    #expect(self.modes == modes, sourceLocation: sourceLocation)
  }
}
