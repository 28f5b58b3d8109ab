import Foundation
import LiveStore

/// `livestore-watch`: keeps a live query over a stream of JSON objects and shows what changes in it.
@main
struct LiveStoreWatch {
  static func main() async {
    Interrupts.install()
    let end = await run()
    if let message = end.message { OutputWriter.report("livestore-watch: \(message)") }
    exit(end.status.rawValue)
  }

  private static func run() async -> Exit {
    do {
      switch try Invocation(arguments: Array(CommandLine.arguments.dropFirst())) {
      case .help: return answer(Help.text)
      case .version: return answer(Help.version)
      case .watch(let options):
        let output = OutputWriter()
        let isColored = options.color.isOn(
          isTerminal: output.isTerminal, environment: ProcessInfo.processInfo.environment)
        if options.demo { return await Demo.run(options, output: output, isColored: isColored) }
        var watch = try Watch(options, output: output, isColored: isColored) { OutputWriter.report("\($0)") }
        return await watch.run()
      }
    } catch let exit as Exit {
      return exit
    } catch {
      return Exit(.software, "\(error)")
    }
  }

  private static func answer(_ text: String) -> Exit {
    var output = OutputWriter()
    output.append(line: text)
    do throws(Exit) {
      try output.flush()
      return Exit(.success)
    } catch {
      return error
    }
  }
}
