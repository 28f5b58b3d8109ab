import Foundation
import LiveStoreServer
import Synchronization

/// The program `livestore`, run by a test.
///
/// State: `text`, what it has written so far, guarded by its mutex.
final class AttachedProcess: Sendable {
  private let process: Process
  private let text = Mutex<[UInt8]>([])
  /// The end of the terminal that shows what is written; nil without one.
  private let terminal: FileHandle?

  /// - Parameter hasTerminal: whether its input and output are a terminal of 80 columns and 24 lines, and not pipes.
  init(_ arguments: [String], hasTerminal: Bool = false) throws {
    let paths = CommandLine.arguments.map { URL(filePath: $0) } + Bundle.allBundles.map(\.bundleURL)
    let folders = paths.map { $0.deletingLastPathComponent() }
    // By its product, or in a package without products by its target.
    let programs = folders.flatMap { folder in
      ["livestore", "LiveStoreTool"].map { folder.appending(path: $0) }
    }
    guard let program = programs.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) })
    else {
      throw Failure("the program livestore is not built")
    }
    process = Process()
    process.executableURL = program
    process.arguments = arguments
    let output: FileHandle
    if hasTerminal {
      var (master, slave): (Int32, Int32) = (-1, -1)
      var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
      guard openpty(&master, &slave, nil, nil, &size) == 0 else { throw Failure("there is no terminal") }
      _ = fcntl(master, F_SETFD, FD_CLOEXEC)
      let end = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
      (process.standardInput, process.standardOutput) = (end, end)
      output = FileHandle(fileDescriptor: master, closeOnDealloc: true)
      terminal = output
      try process.run()
      try end.close()
    } else {
      let pipe = Pipe()
      (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, pipe)
      (output, terminal) = (pipe.fileHandleForReading, nil)
      try process.run()
    }
    let descriptor = output.fileDescriptor
    Thread.detachNewThread { [weak self] in
      var bytes = [UInt8](repeating: 0, count: 65_536)
      // The end of a terminal that all have closed is an error.
      while case let count = bytes.withUnsafeMutableBytes({ read(descriptor, $0.baseAddress, $0.count) }),
        count > 0
      {
        self?.text.withLock { $0 += bytes[..<count] }
      }
      withExtendedLifetime(output) {}
    }
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// What it has written so far.
  var output: String { text.withLock { String(decoding: $0, as: UTF8.self) } }

  func waits(until condition: @Sendable (String) -> Bool) async -> Bool {
    await eventually { condition(self.output) }
  }

  /// Presses keys.
  func type(_ keys: String) throws { try terminal?.write(contentsOf: Data(keys.utf8)) }

  /// Gives the terminal another size.
  func resize(width: UInt16, height: UInt16) {
    var size = winsize(ws_row: height, ws_col: width, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(terminal?.fileDescriptor ?? -1, UInt(TIOCSWINSZ), &size)
    // The terminal is not the one that controls the process, and sends it nothing.
    kill(process.processIdentifier, SIGWINCH)
  }

  /// Whether the terminal is as it is by default, where lines are edited and shown as they are typed.
  var hasUsualTerminal: Bool {
    var settings = termios()
    tcgetattr(terminal?.fileDescriptor ?? -1, &settings)
    return settings.c_lflag & tcflag_t(ICANON | ECHO) == tcflag_t(ICANON | ECHO)
  }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Waits for the end, at most twenty seconds, and gives the status.
  func status() async throws -> Int32 {
    guard await eventually({ !self.process.isRunning }) else { throw Failure("it does not end: \(output)") }
    return process.terminationStatus
  }
}
