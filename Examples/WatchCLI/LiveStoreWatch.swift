import Foundation
import LiveStore

/// `livestore-watch`: runs a live query over a stream of JSON objects and shows its changes.
@main
struct LiveStoreWatch {
  static func main() async {
    Allocator.prepare()
    StandardFiles.reserve()
    Interrupts.install()
    // What the end says is released before the process exits: what is left then would be reported as a leak.
    exit(await report(run()))
  }

  /// Says how it ended, and gives the status.
  private static func report(_ end: consuming Exit) -> Int32 {
    if let message = end.message { OutputWriter.report(Help.line(message)) }
    for line in end.details { OutputWriter.report(line) }
    return end.status.rawValue
  }

  private static func run() async -> Exit {
    do {
      let invocation = try Invocation(arguments: Array(CommandLine.arguments.dropFirst()))
      guard case .watch(let options) = invocation else { return answer(invocation.text ?? "") }
      return try await watch(options)
    } catch let exit as Exit {
      return exit
    } catch {
      return Exit(.software, "\(error)")
    }
  }

  private static func watch(_ options: WatchOptions) async throws -> Exit {
    if let timeout = options.timeout {
      DispatchQueue.global().asyncAfter(deadline: .now() + timeout) { Interrupts.end(.timedOut) }
    }
    var output = OutputWriter()
    let environment = ProcessInfo.processInfo.environment
    let isColored = options.color.isOn(isTerminal: output.isTerminal, environment: environment)
    let isLive =
      options.output == .table && output.isTerminal && !options.once && environment["TERM"] != "dumb"
    try checkInput(options, isLive: isLive)
    let display = try isLive ? TableDisplay(options, isColored: isColored) : nil
    let progress = ProgressMeter(options, display: display)
    if output.isTerminal { output.progress = progress }
    let reporter = Reporter(ResultPrinter(options, writer: output, isColored: isColored), display: display)
    let notices = Notices(isHeld: isLive && isatty(STDERR_FILENO) == 1, progress: progress)
    var badLines = BadLineReport { notices.report($0) }
    func linger() throws(Exit) {
      guard let display else { return }
      display.showEnd()
      Interrupts.wait()
      if Interrupts.exit.status != .success { throw Interrupts.exit }
    }
    func onBadLine(_ line: BadLine) {
      badLines.add(line)
      display?.countBadLine()
      progress?.countBadLine()
    }
    defer {
      let lines = display?.stop() ?? []
      if options.keepsScreen { write(lines) }
      notices.release()
    }
    let commands = CommandRunner(options, isSilent: isLive) { notices.report($0) }
    if options.demo { return await Demo.run(reporter, linger: linger) }
    var watch = try Watch(
      options, reporter: reporter, commands: commands, progress: progress,
      onWaiting: { notices.report(Help.line($0)) }, onBadLine: onBadLine, linger: linger)
    let end = await watch.run()
    return commands?.exit(end) ?? end
  }

  /// Says so if the input is typed; a live table cannot share the terminal with it.
  private static func checkInput(_ options: WatchOptions, isLive: Bool) throws(Exit) {
    if options.demo || !options.inputFiles.contains("-") || isatty(STDIN_FILENO) != 1 { return }
    if isLive { throw Exit.usage("--output table reads keys from the terminal; give it a FILE or a pipe") }
    OutputWriter.report(
      Help.line("reading JSON objects from the terminal, one a line; ^D ends, --help shows more"))
  }

  /// Writes lines, also when the tool is being stopped.
  private static func write(_ lines: [String]) {
    Interrupts.answer()
    var output = OutputWriter()
    for line in lines { try? output.append(line: line) }
    try? output.flush()
  }

  private static func answer(_ text: String) -> Exit {
    var output = OutputWriter()
    do throws(Exit) {
      if !text.isEmpty { try output.append(line: text) }
      try output.flush()
      return Exit(.success)
    } catch {
      return error
    }
  }
}
