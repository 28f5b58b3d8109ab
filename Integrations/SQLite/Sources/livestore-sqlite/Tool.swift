import ArgumentParser
import Foundation

@main
struct Tool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "livestore-sqlite",
    abstract: "Looks into the SQLite file of a LiveStore, also while an app has it open for writing.",
    discussion: """
      Nothing is written to the file or its log, and the app never waits. Each command reads one version of the file. \
      Reading a log needs an index of it, FILE-shm, which is made where there is none.

      Example: livestore-sqlite inspect posts.db

      Exit status: 0; 1 if check finds damage, or a file is damaged; 64 for wrong options or a wrong filter; 66 if the \
      file cannot be read; 73 and 74 if the output cannot be written; 130 and 143 after SIGINT and SIGTERM.
      """,
    subcommands: [
      InspectCommand.self, QueryCommand.self, WatchCommand.self, ExportCommand.self, CheckCommand.self,
      BackupCommand.self,
    ])

  static func main() async {
    // A closed pipe is an error of writing.
    signal(SIGPIPE, SIG_IGN)
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      let failure = ToolFailure(error)
      guard let failure else { end(with: error) }
      if let message = failure.message { OutputWriter.report("livestore-sqlite: \(message)") }
      for line in failure.details { OutputWriter.report(line) }
      Foundation.exit(failure.status)
    }
  }

  /// Ends with what the parser of arguments has to say: help, or a mistake, which names arguments as they were given.
  private static func end(with error: any Error) -> Never {
    guard exitCode(for: error) != .success else { exit(withError: error) }
    for line in fullMessage(for: error).unicodeScalars.split(
      separator: "\n", omittingEmptySubsequences: false)
    {
      OutputWriter.report(String(line))
    }
    Foundation.exit(exitCode(for: error).rawValue)
  }
}
