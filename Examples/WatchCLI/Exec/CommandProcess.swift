import Foundation
import Synchronization

/// A command of the shell, from its start to its end, in a process group of its own.
struct CommandProcess: ~Copyable {
  /// How a command ended.
  enum Outcome: Equatable {
    /// With a status.
    case status(Int32)
    /// By a signal.
    case signal(Int32)
    /// Because the tool was interrupted.
    case interrupted
  }

  private let id: pid_t
  /// The end of a pipe that feeds the command; -1 when it is closed.
  private var input: Int32
  /// A pipe that is closed at its other end when the process has ended.
  private let ending: Int32

  /// How long a command may take to end after SIGTERM, in milliseconds.
  private static let gracePeriod: Int32 = 2_000
  /// How long what the shell has left behind may take after that, in milliseconds. Where no parent reaps orphans, they
  /// are never seen to end.
  private static let restPeriod: Int32 = 300
  /// How often a process group is looked at that is to end, in milliseconds.
  private static let pace: Int32 = 10

  /// The process group of the command that runs; 0 if there is none, `isStarting` while its number is not known yet.
  ///
  /// A signal handler reads it, and replaces `isStarting` by `isKilled`: the thread that starts the command does then
  /// what the handler could not.
  private static let group = Atomic<pid_t>(0)
  private static let isStarting: pid_t = -1
  private static let isKilled: pid_t = -2

  /// Starts a command, which waits for its input.
  ///
  /// - Parameters:
  ///   - environment: variables besides those of the tool.
  ///   - isSilent: whether what it prints is discarded.
  /// - Throws: the reason why it cannot be started.
  init(_ command: String, environment: [String: String], isSilent: Bool) throws(CommandFailure) {
    let input = Signals.pipe()
    var ending = Signals.pipe()
    defer {
      close(input.reading)
      if ending.writing >= 0 { close(ending.writing) }
    }
    Self.group.store(Self.isStarting, ordering: .sequentiallyConsistent)
    do throws(CommandFailure) {
      id = try Self.spawn(command, environment, input: input.reading, isSilent: isSilent)
    } catch {
      close(input.writing)
      close(ending.reading)
      Self.takeStarted(0)
      throw error
    }
    Self.takeStarted(id)
    _ = fcntl(input.writing, F_SETFL, O_NONBLOCK)
    (self.input, self.ending) = (input.writing, ending.reading)
    let (process, signal) = (id, ending.writing)
    ending.writing = -1
    Thread.detachNewThread {
      var information = siginfo_t()
      // The process stays a zombie, so that its id is not used again before `finish` has reaped it.
      while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
      close(signal)
    }
  }

  deinit {
    if input >= 0 { close(input) }
    close(ending)
  }

  /// Initialises what ``killRunning()`` uses, which a signal handler must not do.
  static func prepareToKill() { _ = group.load(ordering: .relaxed) }

  /// Kills the command that runs, if there is one; called in a signal handler.
  ///
  /// - Returns: false if the command is just being started, so that it is killed soon, and another signal sent.
  static func killRunning() -> Bool {
    let started = group.compareExchange(
      expected: isStarting, desired: isKilled, ordering: .sequentiallyConsistent)
    if started.exchanged || started.original == isKilled { return false }
    if started.original > 0 { kill(-started.original, SIGKILL) }
    return true
  }

  /// Records the group of a command that has been started, 0 if that has failed.
  private static func takeStarted(_ id: pid_t) {
    guard group.exchange(id, ordering: .sequentiallyConsistent) == isKilled else { return }
    kill(getpid(), SIGTERM)
  }

  /// Writes lines to the command's input as it takes them, and closes it.
  ///
  /// A command that has ended, or has closed its input, gets no more. An interrupt ends it.
  mutating func feed(_ lines: AnyIterator<[UInt8]>) {
    var rest: ArraySlice<UInt8> = []
    while true {
      while rest.count < Self.piece, let line = lines.next() { rest += line }
      guard !rest.isEmpty, Interrupts.wait(for: files(POLLOUT)) != nil, !hasEnded else { return closeInput() }
      let count = rest.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EAGAIN, errno != EINTR {
        return closeInput()
      }
    }
  }

  private static let piece = 1 << 16

  private func files(_ events: Int32) -> [pollfd] {
    [
      pollfd(fd: ending, events: Int16(POLLIN), revents: 0),
      pollfd(fd: input, events: Int16(events), revents: 0),
    ]
  }

  private var hasEnded: Bool { waits(for: 0) }

  /// Waits for the end for a time in milliseconds, or without a limit for -1; false if it has not come.
  private func waits(for milliseconds: Int32) -> Bool {
    var file = pollfd(fd: ending, events: Int16(POLLIN), revents: 0)
    while true {
      let count = poll(&file, 1, milliseconds)
      if count >= 0 { return count > 0 }
      if errno != EINTR && errno != EAGAIN { return true }
    }
  }

  private mutating func closeInput() {
    close(input)
    input = -1
  }

  /// Waits for the end. An interrupt makes it come, for all processes of the command.
  consuming func finish() -> Outcome {
    let isInterrupted = Interrupts.wait(for: files(0)) == nil
    if isInterrupted {
      kill(-id, SIGTERM)
      if !waits(for: Self.gracePeriod) { kill(-id, SIGKILL) }
      _ = waits(for: -1)
    }
    if !isInterrupted { Self.group.store(0, ordering: .sequentiallyConsistent) }
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    if isInterrupted {
      endRest()
      return .interrupted
    }
    let signal = status & 0x7F
    return signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
  }

  /// Waits for the processes that the shell has left behind, and kills those that do not end.
  private func endRest() {
    var time: Int32 = 0
    while kill(-id, 0) == 0, time < Self.restPeriod {
      _ = poll(nil, 0, Self.pace)
      time += Self.pace
    }
    kill(-id, SIGKILL)
    Self.group.store(0, ordering: .sequentiallyConsistent)
  }
}
