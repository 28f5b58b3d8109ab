import ArgumentParser
import Foundation
import LiveStoreServer
import NIOCore

struct AttachCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attach",
    abstract: "Shows entities with their rows, live queries, commits and memory of a running store, live.",
    usage: "livestore attach ADDRESS [--json | --web [--port PORT]] [--token-file FILE]",
    discussion: """
      ADDRESS is the path of the Unix socket that the app serves, or a URL such as http://localhost:4321. Keys: 1 to 6 or \
      Tab for the views, arrows, Page Up and Page Down to scroll, Return for the rows of an entity, / for a filter of \
      them, Escape to go back, q or Control-C to end. Where the output is no terminal, one state is printed.

      With --web the page is served on a free port of this machine, until SIGINT; whoever has the URL that is printed \
      may use it. For a URL, --web prints where the page is.

      Example: livestore attach /run/app/store.sock
      """)

  @Argument(help: ArgumentHelp("The path of a socket, or a URL.", valueName: "address")) var address: String
  @Flag(help: "Print one state as JSON.") var json = false
  @Flag(help: "Serve the inspector's page for a browser.") var web = false
  @Option(help: ArgumentHelp("The port of --web; 0 for a free one.", valueName: "port")) var port = 0

  @Option(
    help: ArgumentHelp(
      "A file with the token that the server asks for; without it, the variable LIVESTORE_TOKEN.",
      valueName: "file"))
  var tokenFile: String?

  func validate() throws {
    if json, web { throw ValidationError("--json and --web exclude each other.") }
    if !(0...65_535).contains(port) { throw ValidationError("--port is \(port). It needs 0 to 65535.") }
  }

  func run() async throws {
    let client = InspectorClient(try InspectorAddress(address), token: try token())
    do {
      try await run(client)
    } catch {
      await client.close()
      throw error
    }
    await client.close()
  }

  private func run(_ client: InspectorClient) async throws {
    if json {
      let text = String(decoding: try await client.state().text(), as: UTF8.self)
      // Outside of its strings, JSON from the encoder has nothing that is invisible.
      try Output.write(Array((text.escapingInvisibles + "\n").utf8))
    } else if web {
      try await WebProxy(client, port: port).run()
    } else if isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 {
      try await AttachLoop(client).run()
    } else {
      try Output.write(Array(StateTables(try await client.state()).text.utf8))
    }
  }

  private func token() throws -> String? {
    guard let tokenFile else { return ProcessInfo.processInfo.environment["LIVESTORE_TOKEN"] }
    guard let data = FileManager.default.contents(atPath: tokenFile), data.count <= 65_536,
      let text = String(data: data, encoding: .utf8)
    else { throw ToolFailure(status: EX_NOINPUT, message: "\(tokenFile) cannot be read.") }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

/// Standard output.
enum Output {
  /// Writes all bytes; a closed pipe is no error.
  static func write(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EPIPE {
        return
      } else if errno == EAGAIN {
        // Another process has made the terminal or the pipe one that does not block.
        var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        _ = poll(&output, 1, -1)
      } else if errno != EINTR {
        throw ToolFailure.output(errno)
      }
    }
  }
}
