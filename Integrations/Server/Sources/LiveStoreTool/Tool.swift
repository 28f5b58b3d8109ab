import ArgumentParser
import Foundation

@main
struct Tool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "livestore",
    abstract: "Looks into a LiveStore in a running process.",
    discussion: """
      The process serves its store with LiveStoreServer and an inspector. Nothing is written to the store.

      Example: livestore attach /run/app/store.sock

      Exit status: 0; 64 for wrong options; 66 if the file of the token cannot be read; 69 if the server cannot be reached; 77 if it refuses access; 74 if the output \
      cannot be written; 129, 130 and 143 after SIGHUP, SIGINT and SIGTERM.
      """,
    subcommands: [AttachCommand.self])

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
    } catch let failure as ToolFailure {
      if let message = failure.message { report("livestore: \(message)") }
      Foundation.exit(failure.status)
    } catch {
      guard exitCode(for: error) != .success else { exit(withError: error) }
      for line in fullMessage(for: error).unicodeScalars.split(
        separator: "\n", omittingEmptySubsequences: false)
      {
        report(String(line))
      }
      Foundation.exit(exitCode(for: error).rawValue)
    }
  }

  /// Writes a line to standard error, whatever texts it has; a failure is ignored.
  static func report(_ line: String) {
    let bytes = Array("\(String(line.unicodeScalars.prefix(4_000)).escapingInvisibles)\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }
}

/// Why the tool ends early: a sentence for standard error, if there is something to say, and the exit status.
package struct ToolFailure: Error, Equatable {
  package let status: Int32
  package var message: String?
  /// Whether the server would refuse the same request again.
  package var isLasting = false

  /// The server cannot be reached, or answers something else.
  static func server(_ message: String) -> ToolFailure {
    ToolFailure(status: EX_UNAVAILABLE, message: message)
  }
  /// The server refuses access.
  static func access(_ message: String) -> ToolFailure { ToolFailure(status: EX_NOPERM, message: message) }
  /// The output cannot be written.
  static func output(_ code: Int32) -> ToolFailure {
    ToolFailure(
      status: EX_IOERR, message: "The output cannot be written: \(String(cString: strerror(code))).")
  }
  /// A signal asked for the end.
  static func signal(_ number: Int32) -> ToolFailure { ToolFailure(status: 128 + number) }
}
