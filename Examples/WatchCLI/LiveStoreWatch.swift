import Foundation
import LiveStore

/// `livestore-watch`: runs a live query over a stream of JSON objects and shows its changes.
@main
struct LiveStoreWatch {
  static func main() async {
    StandardFiles.reserve()
    Interrupts.install()
    let end = await run()
    if let message = end.message { OutputWriter.report(Help.line(message)) }
    for line in end.details { OutputWriter.report(line) }
    exit(end.status.rawValue)
  }

  private static func run() async -> Exit {
    do {
      let invocation = try Invocation(arguments: Array(CommandLine.arguments.dropFirst()))
      guard case .watch(let options) = invocation else { return answer(invocation.text ?? "") }
      let output = OutputWriter()
      let isColored = options.color.isOn(
        isTerminal: output.isTerminal, environment: ProcessInfo.processInfo.environment)
      if options.files.isEmpty, !options.demo, isatty(STDIN_FILENO) == 1 {
        OutputWriter.report(
          Help.line("reading JSON objects from the terminal, one a line; ^D ends, --help shows more"))
      }
      if options.demo { return await Demo.run(options, output: output, isColored: isColored) }
      var badLines = BadLineReport()
      var watch = try Watch(options, output: output, isColored: isColored) { badLines.add($0) }
      return await watch.run()
    } catch let exit as Exit {
      return exit
    } catch {
      return Exit(.software, "\(error)")
    }
  }

  private static func answer(_ text: String) -> Exit {
    var output = OutputWriter()
    do throws(Exit) {
      try output.append(line: text)
      try output.flush()
      return Exit(.success)
    } catch {
      return error
    }
  }
}
